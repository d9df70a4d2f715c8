import { administered, administrationCommand, onData, waysHelp } from "../../administration.ts";
import {
  type CommandOptions,
  type Invocation,
  noPositionals,
  onlyPositional,
  UsageError,
} from "../../command.ts";
import { dataCommand, serviceOptionsOf } from "../../data-location.ts";
import { choiceOfRole } from "../../role-choice.ts";

const linkOptions: CommandOptions = { "base-url": { type: "string" } };
const linkHelp = `
  --base-url U       address of the service for a link made on the data, as the service has it (LOSSLESS_BASE_URL)`;

export const invite = administrationCommand({
  usage: "people invite --role ROLE [--email E] [--organization O]",
  help: `
Prints an invitation link, which works once, within 7 days. On the data it also replaces an expired link of the first
start. Through the service it needs a person with the role admin, for owners the role owner. On the data the
organization is default unless --organization names one.
${waysHelp}
  --role ROLE        owner, admin, member or viewer
  --email E          only this address can take the invitation${linkHelp}`,
  options: {
    ...linkOptions,
    role: { type: "string" },
    email: { type: "string" },
  },
  run(invocation) {
    noPositionals(invocation);
    const { values, output } = invocation;
    const role = choiceOfRole("--role", values.required("role"));
    const email = values.text("email");
    if (email !== undefined && !/^[^@\s]+@[^@\s]+$/.test(email)) {
      throw new UsageError(`--email must be an e-mail address, not ${email}`);
    }
    return administered(invocation, {
      async byService(client) {
        if (values.text("base-url") !== undefined) {
          throw new UsageError("--base-url works only on the data: the service knows its own");
        }
        const body = { role, ...(email === undefined ? {} : { email }) };
        const { link, invitation } = await client.people.invite(body);
        output.answer({ link, expires: invitation.expires }, () => link);
      },
      async onData(people) {
        const link = await linkMaker(invocation);
        const organization = values.text("organization") ?? "default";
        return link(await people.invite(organization, role, email));
      },
    });
  },
});

export const resetPassword = dataCommand({
  usage: "people reset-password EMAIL",
  help: `
Prints a link to set a new password, which works once, within 7 days. The current password works until the link is used;
then every session of the person ends. The link can be made only on the data, because it opens every organization of the
person. If sign-on by the identity provider is forced, only owners have passwords: first make the person an owner (people
role).
${linkHelp}`,
  options: { ...linkOptions },
  run(invocation) {
    const email = onlyPositional(invocation, "person by e-mail address");
    return onData(
      invocation,
      async (people) => {
        const link = await linkMaker(invocation);
        return link(await people.resetPassword(email));
      },
      "a link for a new password can be made only on the data",
    );
  },
});

/** Made before anything is written, as a wrong address or file is a mistake of the command line. */
async function linkMaker(invocation: Invocation) {
  const { environment, output } = invocation;
  const { joinLink } = await import("@lossless/server/accounts/rows/people/join-link");
  const { listenUrl } = await import("@lossless/server/ground/listen-address");
  const { baseUrl, host, port } = await serviceOptionsOf(invocation, ["baseUrl", "host", "port"]);
  const known = baseUrl ?? (environment["LOSSLESS_URL"]?.replace(/\/+$/, "") || undefined);
  const address = known ?? listenUrl(host, port);
  return ({ invitation, secret }: { invitation: { expires: string }; secret: string }) => {
    const link = joinLink(address, secret);
    output.answer({ link, expires: invitation.expires }, () => link);
    if (known === undefined) {
      output.warning(
        `The address ${address} in the link is a guess: set --base-url or LOSSLESS_BASE_URL to the service's ` +
          "address.",
      );
    }
  };
}
