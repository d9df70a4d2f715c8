import type { LosslessClient, Person } from "@lossless/client";
import type { Member } from "@lossless/server/operator/administration";
import { administered, administrationCommand, onData, waysHelp } from "../../administration.ts";
import { CommandError, noPositionals, onlyPositional, UsageError } from "../../command.ts";
import { dataCommand } from "../../data-location.ts";
import { printable, table } from "../../output.ts";
import { choiceOfRole } from "../../role-choice.ts";

export const list = administrationCommand({
  usage: "people list [--organization O]",
  help: `${waysHelp}
On the data, --organization limits the list; without it, it lists the people of all organizations.
`,
  run(invocation) {
    noPositionals(invocation);
    const { output } = invocation;
    return administered(invocation, {
      async byService(client) {
        const people = await client.people.list();
        output.answer(people, () =>
          table(
            ["ID", "EMAIL", "ROLE", "JOINED"],
            people.map(({ id, email, role, joined }) => [id, email, role, joined]),
          ),
        );
      },
      async onData(people) {
        const all = await people.listPeople(invocation.values.text("organization"));
        output.answer(all, () => memberTable(all));
      },
    });
  },
});

export const role = administrationCommand({
  usage: "people role EMAIL|ID ROLE [--organization O]",
  help: `
Gives a person another role: owner, admin, member or viewer. The last owner stays an owner. Links end that the person
made and could no longer make. Through the service it needs a person with the role admin, for owners the role owner. On
the data, --organization is needed if the person belongs to several.
${waysHelp}`,
  run(invocation) {
    const { values, output, positionals } = invocation;
    const [who, word, ...more] = positionals;
    if (who === undefined || word === undefined || more.length > 0) {
      throw new UsageError("name the person, by e-mail address or id, and the role");
    }
    const role = choiceOfRole("the role", word);
    const answer = (person: Person) => {
      output.answer(person, () => `${printable(person.email)} is ${person.role} now`);
    };
    return administered(invocation, {
      byService: async (client) => {
        const { id } = await personNamed(client, who);
        return answer(await client.people.changeRole(id, role));
      },
      onData: async (people) =>
        answer(await people.changeRole(who, values.text("organization"), role)),
    });
  },
});

export const remove = administrationCommand({
  usage: "people remove EMAIL|ID [--organization O]",
  help: `
Ends a person's membership for every request that starts from now on, and the links that the person made; API keys
stay. The last owner stays. Through the service it needs a person with the role admin, for owners the role owner. On the
data, --organization is needed if the person belongs to several. A provision file that names the person adds them again
at the next start.
${waysHelp}`,
  run(invocation) {
    const { values, output } = invocation;
    const who = onlyPositional(invocation, "person by e-mail address or id");
    const answer = (person: Person) => {
      output.answer(person, () => `${printable(person.email)} is removed`);
    };
    return administered(invocation, {
      byService: async (client) => {
        const person = await personNamed(client, who);
        await client.people.remove(person.id);
        return answer(person);
      },
      onData: async (people) => answer(await people.removePerson(who, values.text("organization"))),
    });
  },
});

export const erase = dataCommand({
  usage: "people erase EMAIL|ID --data DIR",
  help: `
Erases a person for ever: every membership, session, sign-in and token ends, and the address, the password and the
identities at providers are removed. A pseudonym made of the person's id replaces the address everywhere, also in the
audit log and in notes. What the person recorded and shared stays with the organization. Works on the data itself,
beside a stopped or a running service. The last owner of an organization is refused. A provision file with the address
makes a new person at the next start: remove it there first. Earlier backups still have the address.
`,
  run(invocation) {
    const who = onlyPositional(invocation, "person by e-mail address or id");
    return onData(
      invocation,
      async (people) => {
        const erased = await people.erasePerson(who);
        invocation.output.answer(erased, () => `erased; the pseudonym is ${erased.pseudonym}`);
      },
      "people can be erased only on the data",
    );
  },
});

function memberTable(members: readonly Member[]): string {
  return table(
    ["ID", "ORGANIZATION", "EMAIL", "ROLE", "JOINED"],
    members.map(({ id, organization, email, role, joined }) => {
      return [id, organization.name, email, role, joined];
    }),
  );
}

async function personNamed(client: LosslessClient, who: string): Promise<Person> {
  const people = await client.people.list();
  const found = people.find(({ id, email }) => id === who || email === who.toLowerCase());
  if (found !== undefined) return found;
  throw new CommandError(`there is no person ${who} in the organization`);
}
