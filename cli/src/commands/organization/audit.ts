import type { AuditEvent } from "@lossless/client";
import { administered, administrationCommand, waysHelp } from "../../administration.ts";
import { noPositionals } from "../../command.ts";
import { namesOf } from "../../names.ts";
import { printable, table } from "../../output.ts";

const limitMax = 100_000;

export const audit = administrationCommand({
  usage: "audit [--organization O] [--limit N]",
  help: `
Prints who did what, newest first: sign-ins, keys, people, invitations, locations, provisioning. Through the service it
needs a person with the role admin or owner. On the data it covers all organizations unless --organization names one.
${waysHelp}
  --limit N          at most this many events (100)`,
  options: { limit: { type: "string" } },
  run(invocation) {
    noPositionals(invocation);
    const { values, output } = invocation;
    const limit = values.integer("limit", 100, 1, limitMax);
    const answer = (events: AuditEvent[], nameOf: (id: string) => string) => {
      output.answer(events, () => eventTable(events, nameOf));
    };
    return administered(invocation, {
      async byService(client) {
        const events: AuditEvent[] = [];
        for await (const event of client.audit.events()) {
          events.push(event);
          if (events.length === limit) break;
        }
        const [people, keys] = [await client.people.list(), await client.organization.apiKeys()];
        return answer(events, namesOf(people, keys));
      },
      async onData(administration) {
        const events = await administration.readAudit(values.text("organization"), limit);
        const keys = await administration.listKeys();
        const named = keys.map(({ keyId: id, name }) => ({ id, name }));
        return answer(events, namesOf(await administration.listPeople(), named));
      },
    });
  },
});

/** Events as a table of addresses and names; only JSON has the ids. */
function eventTable(events: readonly AuditEvent[], nameOf: (id: string) => string): string {
  return table(
    ["TIME", "ACTION", "ACTOR", "SUBJECT", "FROM", "DETAILS"],
    events.map(({ at, action, actor, subject, address, details }) => {
      const words = Object.entries(details).map(([name, value]) => `${name}=${String(value)}`);
      const whom = subject === null ? "" : nameOf(subject);
      return [at, action, nameOf(actor), whom, address ?? "", printable(words.join(" "))];
    }),
  );
}
