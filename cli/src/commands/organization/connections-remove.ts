import { createInterface } from "node:readline/promises";
import type { AuditEvent, Connection, Location, LosslessClient } from "@lossless/client";
import { CommandError, type Invocation, onlyPositional } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { bytesText, countedText, printable } from "../../output.ts";
import { connectionNamed, person } from "./connections.ts";

export const remove = serviceCommand({
  usage: "connections remove CONNECTION [--yes]",
  help: `
Removes a connection, by name or id. Its locations have to be retired first, and become unreadable through the service.
The command asks for confirmation, also for a pending connection: the trust may already exist, and a removed identity is
never used again. It removes nothing in the cloud account: remove the trust there, too. ${person}

  --yes              do not ask`,
  options: { yes: { type: "boolean" } },
  async run(invocation) {
    const word = onlyPositional(invocation, "connection by its name or id");
    const client = clientOf(invocation);
    const connection = await connectionNamed(client, word);
    const { id, name } = connection;
    const { locations } = await client.organization.view();
    const using = locations.filter((location) => location.connection === id);
    if (!invocation.values.flag("yes")) await confirm(invocation, connection, using);
    await client.organization.removeConnection(id);
    const removed = await eventOf(client, id);
    const details = removed?.details ?? {};
    invocation.output.answer({ id, ...details }, () =>
      [`${printable(name)} is removed`, ...lostText(details)].join("\n"),
    );
    invocation.output.note(
      `Nothing was removed in the ${connection.cloud} account: its trust in ${connection.subject} stays until you remove it ` +
        `there (the setup script called it lossless-${id.slice(-10)}), and so do the buckets.`,
    );
  },
});

/** Newest events searched for that of the removal, which has just happened. */
const eventsReadMax = 100;

async function confirm(
  { output }: Invocation,
  { name }: Connection,
  using: readonly Location[],
): Promise<void> {
  if (!output.isTerminal || !process.stdin.isTTY) {
    throw new CommandError(
      "there is no terminal to ask on; --yes removes the connection without asking",
    );
  }
  if (using.length > 0) {
    const names = using.map((location) => printable(location.name)).join(", ");
    output.note(`The service will no longer be able to read these locations: ${names}`);
  }
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await asking.question(`Remove ${printable(name)}? [y/N] `);
    if (!["y", "yes"].includes(answer.trim().toLowerCase())) {
      throw new CommandError("nothing was removed");
    }
  } finally {
    asking.close();
  }
}

/** Finds the audit event of the removal, which has the counts. */
async function eventOf(client: LosslessClient, id: string): Promise<AuditEvent | undefined> {
  let read = 0;
  for await (const event of client.audit.events()) {
    if (event.action === "connection.removed" && event.subject === id) return event;
    if (++read >= eventsReadMax) return undefined;
  }
  return undefined;
}

function lostText(details: Readonly<Record<string, unknown>>): string[] {
  const [versions, bytes] = [Number(details["versions"] ?? 0), Number(details["bytes"] ?? 0)];
  if (!(versions > 0)) return [];
  return [
    `${countedText(versions, "version")} (${bytesText(bytes)}) at its retired locations cannot be read any more.`,
  ];
}
