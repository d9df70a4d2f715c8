import { endpoints } from "@lossless/client";
import { noPositionals } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { fetchJson } from "../../login/authorization-server.ts";
import { credentialOf, type CredentialSource } from "../../login/credential.ts";
import { printable } from "../../output.ts";

export const whoami = serviceCommand({
  usage: "whoami",
  help: `
Shows for whom commands act, and in which organization.
`,
  async run(invocation) {
    noPositionals(invocation);
    const source = credentialOf(invocation);
    const { url, from } = source;
    const client = clientOf(invocation);
    const { userId, credential: told } = await client.organization.whoami();
    const { organization } = await client.authStatus();
    const email = userId === null ? null : await emailOf(userId, organization.id, source);
    // The service reports a personal token as a sign-in.
    const isPersonalToken = (await source.credential()).startsWith("pt_");
    const credential = isPersonalToken ? "personal_token" : told;
    invocation.output.answer({ url, credential, from, userId, email, organization }, () =>
      [
        `service       ${url}`,
        `credential    ${kinds[credential]}${from === "login" ? "" : ` (${from})`}`,
        ...(userId === null ? [] : [`person        ${printable(email ?? userId)}`]),
        `organization  ${printable(organization.name)} (${organization.id})`,
      ].join("\n"),
    );
  },
});

const kinds = {
  api_key: "API key",
  personal_token: "personal token",
  session: "session",
  oauth: "sign-in of this machine",
} as const;

async function emailOf(
  userId: string,
  organizationId: string,
  { url, credential }: CredentialSource,
): Promise<string | null> {
  const path = url + endpoints.listPeople.path;
  const { people } = await fetchJson(path, await credential(), organizationId);
  const all = Array.isArray(people) ? (people as { id: string; email: string }[]) : [];
  return all.find(({ id }) => id === userId)?.email ?? null;
}
