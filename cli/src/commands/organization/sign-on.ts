import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import type { SetSignOnBody, SignOnView } from "@lossless/client";
import { type Invocation, noPositionals, onlyPositional, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { printable, table } from "../../output.ts";

export const show = serviceCommand({
  usage: "sign-on show",
  help: `
Shows the identity provider by which the organization's people sign in, without its secret, and the addresses to
register there. Needs a person with the role admin: lossless login.
`,
  async run(invocation) {
    noPositionals(invocation);
    answer(invocation, await clientOf(invocation).signOn.read());
  },
});

export const set = serviceCommand({
  usage: "sign-on set FILE",
  help: `
Sets the identity provider from a JSON file (- is standard input), once it has answered:

  {"name": "Okta", "issuer": "https://example.okta.com", "clientId": "…", "clientSecret": "…",
   "domains": ["example.com"], "groupsClaim": "groups", "roles": [{"group": "ml", "role": "member"}],
   "defaultRole": null, "forced": false}

Without clientSecret the stored one stays; null says that the client is a public one, with PKCE only. Other missing fields get their defaults. Needs an owner: lossless login.
`,
  async run(invocation) {
    const body = await settingsIn(onlyPositional(invocation, "file with the settings"));
    answer(invocation, await clientOf(invocation).signOn.set(body));
  },
});

export const remove = serviceCommand({
  usage: "sign-on remove",
  help: `
Ends sign-on by the identity provider, and every session that began with it. Needs an owner: lossless login.
`,
  async run(invocation) {
    noPositionals(invocation);
    await clientOf(invocation).signOn.remove();
    invocation.output.answer({ settings: null }, () => "The identity provider is removed.");
  },
});

async function settingsIn(file: string): Promise<SetSignOnBody> {
  try {
    const written = file === "-" ? await text(process.stdin) : readFileSync(file, "utf8");
    // The service validates the content.
    return JSON.parse(written) as SetSignOnBody;
  } catch (error) {
    throw new UsageError(`${file} cannot be read as JSON: ${(error as Error).message}`);
  }
}

function answer({ output }: Invocation, view: SignOnView): void {
  output.answer(view, () => table(["WHAT", "IS"], linesOf(view)));
}

function linesOf({ settings, redirectAddress, startAddress }: SignOnView): string[][] {
  const addresses = [
    ["redirect address", redirectAddress],
    ["start address", startAddress],
  ];
  if (settings === null) return [["identity provider", "none"], ...addresses];
  const { name, issuer, clientId, publicClient, scopes, domains, groupsClaim } = settings;
  const { roles, defaultRole, forced } = settings;
  return [
    ["identity provider", printable(name)],
    ["issuer", issuer],
    ["client id", printable(clientId)],
    ["client secret", publicClient ? "none: a public client" : "set"],
    ["scopes", scopes],
    ["domains", domains.join(", ")],
    ["claim with groups", printable(groupsClaim ?? "none")],
    ...roles.map(({ group, role }) => [`group ${printable(group)}`, role]),
    ["other people", defaultRole ?? "refused"],
    ["passwords", forced ? "owners only" : "everyone"],
    ...addresses,
  ];
}
