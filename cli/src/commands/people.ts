import { noPositionals, onlyPositional, UsageError } from "../command.ts";
import type { Command, Invocation } from "../command.ts";
import { dataHelp, dataOptions, driverSettingsOf } from "../data-location.ts";
import { table } from "../output.ts";

const linkOptions = { ...dataOptions, url: { type: "string" } } as const;
const linkHelp = `
  --url U            address of the service, for the link (LOSSLESS_URL; http://127.0.0.1:7070)${dataHelp}`;

export const list: Command = {
  usage: "people list [--organization O]",
  help: `
  --organization O   only the people of this organization, by name or id${dataHelp}`,
  options: { ...dataOptions, organization: { type: "string" } },
  run: runList,
};

export const invite: Command = {
  usage: "people invite --role ROLE [--email E] [--organization O]",
  help: `
Prints a link by which a person joins: it works once, within 7 days. It is also the way back in when the link
of the first start has expired.

  --role ROLE        owner, admin or member
  --email E          only this address can take the invitation
  --organization O   organization by name or id (default)${linkHelp}`,
  options: {
    ...linkOptions,
    role: { type: "string" },
    email: { type: "string" },
    organization: { type: "string" },
  },
  run: runInvite,
};

export const resetPassword: Command = {
  usage: "people reset-password EMAIL",
  help: `
Prints a link by which a person sets a new password: it works once, within 7 days. The present password works
until the link is used; then every session of the person ends.
${linkHelp}`,
  options: linkOptions,
  run: runResetPassword,
};

async function openPeople(invocation: Invocation) {
  const { administer } = await import("@lossless/server");
  return administer(driverSettingsOf(invocation));
}

async function runList(invocation: Invocation): Promise<number> {
  noPositionals(invocation);
  await using people = await openPeople(invocation);
  const all = await people.listPeople(invocation.values.text("organization"));
  invocation.output.answer(all, () =>
    table(
      ["ID", "ORGANIZATION", "EMAIL", "ROLE", "JOINED"],
      all.map(({ id, organization, email, role, joined }) => [
        id,
        organization.name,
        email,
        role,
        joined,
      ]),
    ),
  );
  return 0;
}

async function runInvite(invocation: Invocation): Promise<number> {
  noPositionals(invocation);
  const { values } = invocation;
  values.required("role");
  const role = values.choice("role", ["owner", "admin", "member"]);
  const organization = values.text("organization") ?? "default";
  const email = values.text("email");
  if (email !== undefined && !/^[^@\s]+@[^@\s]+$/.test(email)) {
    throw new UsageError(`--email must be an e-mail address, not ${email}`);
  }
  await using people = await openPeople(invocation);
  const issued = await people.invite(organization, role, email);
  return await answerLink(invocation, issued);
}

async function runResetPassword(invocation: Invocation): Promise<number> {
  const email = onlyPositional(invocation, "person by e-mail address");
  await using people = await openPeople(invocation);
  return await answerLink(invocation, await people.resetPassword(email));
}

async function answerLink(
  { values, environment, output }: Invocation,
  { invitation, secret }: { invitation: { expires: string }; secret: string },
): Promise<number> {
  const { joinLink } = await import("@lossless/server");
  const url = values.text("url") ?? environment["LOSSLESS_URL"] ?? "http://127.0.0.1:7070";
  const link = joinLink(url.replace(/\/$/, ""), secret);
  output.answer({ link, expires: invitation.expires }, () => link);
  return 0;
}
