import type { Connection, CreateConnectionBody, LosslessClient } from "@lossless/client";
import { type Invocation, noPositionals, onlyPositional, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { oneNamed } from "../../names.ts";
import { printable, table } from "../../output.ts";

export const person = "Needs a person with the role admin or owner: lossless login.";

const clouds = ["aws", "gcp", "azure"] as const;

export const list = serviceCommand({
  usage: "connections list",
  help: `
Lists the cloud accounts that the organization has connected, or begun to connect.
`,
  async run(invocation) {
    noPositionals(invocation);
    const { connections, issuer } = await clientOf(invocation).organization.view();
    const { output } = invocation;
    output.answer(connections, () =>
      table(
        ["NAME", "CLOUD", "STATE", "ACCOUNT", "ERROR", "ID"],
        connections.map((connection) => {
          const { name, cloud, state, error, id } = connection;
          return [name, cloud, state, accountOf(connection), error === null ? "-" : "yes", id];
        }),
      ),
    );
    if (connections.length > 0) warnOfIssuer(invocation, issuer);
  },
});

export const add = serviceCommand({
  usage: "connections add CLOUD NAME",
  help: `
Starts connecting an account of a cloud (aws, gcp or azure), in which the service then makes buckets without a
lasting key. The name is for people. The next steps:

  lossless connections setup ID | bash     run in the cloud account, by who administers it
  lossless connections complete ID ...     the command that the script prints at its end
  lossless locations add --connection ID --region R   makes a bucket there

${person}
`,
  async run(invocation) {
    const [word, name, ...more] = invocation.positionals;
    const cloud = clouds.find((one) => one === word);
    if (cloud === undefined || name === undefined || more.length > 0) {
      throw new UsageError(`name the cloud (${clouds.join(", ")}) and the connection`);
    }
    const body: CreateConnectionBody = { cloud, name };
    const connection = await clientOf(invocation).organization.createConnection(body);
    const { id, issuer } = connection;
    invocation.output.answer(connection, () =>
      [
        `${printable(name)} is started: ${id}`,
        `Next, in the ${cloud} account: lossless connections setup ${id} | bash`,
      ].join("\n"),
    );
    warnOfIssuer(invocation, issuer);
  },
});

export const show = serviceCommand({
  usage: "connections show CONNECTION",
  help: `
Shows a connection, by name or id: the subject that the cloud trusts, the service's identity there, and the last refusal.
`,
  async run(invocation) {
    const word = onlyPositional(invocation, "connection by its name or id");
    const connection = await connectionNamed(clientOf(invocation), word);
    const { id, cloud, name, state, subject, issuer, audience, error, created } = connection;
    invocation.output.answer(connection, () =>
      [
        `${printable(name)} (${id})`,
        `Cloud:     ${cloud}`,
        `State:     ${state}`,
        `Account:   ${accountOf(connection)}`,
        `Subject:   ${subject}`,
        `Issuer:    ${issuer}`,
        `Audience:  ${audience}`,
        `Created:   ${created}`,
        ...(error === null ? [] : [`Refused:   ${printable(error)}`]),
      ].join("\n"),
    );
    warnOfIssuer(invocation, issuer);
  },
});

export const setup = serviceCommand({
  usage: "connections setup CONNECTION",
  help: `
Prints the setup script of a connection, by name or id, and nothing else: read it, then pipe it to bash where the
cloud's own command line (aws, gcloud or az) is signed in. The script says what it will do, and asks; with
| bash -s -- -y it does not ask. You may run it again at any time.
`,
  async run(invocation) {
    const word = onlyPositional(invocation, "connection by its name or id");
    const { setup: script } = await connectionNamed(clientOf(invocation), word);
    invocation.output.answer({ setup: script }, () => script.trimEnd());
  },
});

/** Finds a connection by its id, or by its name when no other has it. */
export async function connectionNamed(client: LosslessClient, word: string): Promise<Connection> {
  const { connections } = await client.organization.view();
  return oneNamed(connections, word, "connection");
}

/** The service's identity in the cloud, in one word. */
export function accountOf({ identifiers }: Connection): string {
  switch (identifiers?.cloud) {
    case "aws":
      return identifiers.aws.roleArn;
    case "gcp":
      return identifiers.gcp.serviceAccountEmail;
    case "azure":
      return `${identifiers.azure.subscriptionId}/${identifiers.azure.resourceGroup}`;
    case undefined:
      return "-";
  }
}

/**
 * Warns of an issuer without https, as any trial on one machine has; the setup script checks the
 * other cases.
 */
function warnOfIssuer({ output }: Invocation, issuer: string): void {
  if (issuer.startsWith("https://")) return;
  output.note(
    `No cloud can reach the token issuer ${issuer}: it has to be a public https address. Start the service with ` +
      "--issuer-url https://..., then run lossless issuer export DIR, publish the two files there, and then run the " +
      "setup script.",
  );
}
