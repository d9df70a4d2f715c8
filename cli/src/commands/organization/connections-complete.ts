import { setTimeout as sleep } from "node:timers/promises";
import {
  type CompleteConnectionBody,
  type Connection,
  type LosslessClient,
  RequestError,
} from "@lossless/client";
import { type Invocation, onlyPositional, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { printable } from "../../output.ts";
import { connectionNamed, person } from "./connections.ts";

/**
 * The identifiers that a cloud's administrator gives, as options; the words are the interface's.
 */
const fields = {
  aws: { roleArn: "role-arn" },
  gcp: {
    projectId: "project-id",
    projectNumber: "project-number",
    poolId: "pool-id",
    providerId: "provider-id",
    serviceAccountEmail: "service-account-email",
  },
  azure: {
    tenantId: "tenant-id",
    clientId: "client-id",
    subscriptionId: "subscription-id",
    resourceGroup: "resource-group",
  },
} as const;
type CloudName = keyof typeof fields;

const waitSecondsMax = 3_600;
const firstPauseMs = 2_000;
/** Longest pause between attempts: the service asks a cloud ten times a minute at most. */
const longestPauseMs = 10_000;

export const complete = serviceCommand({
  usage: "connections complete CONNECTION --role-arn ARN | --project-id P ... | --tenant-id T ...",
  help: `
Sets the service's identity in the cloud account. The service tries it at once, and keeps it only if the cloud accepts it.
The setup script prints this command with all its options. On an active connection it replaces them. ${person}

  aws    --role-arn ARN
  gcp    --project-id P --project-number N --pool-id P --provider-id P --service-account-email E
  azure  --tenant-id T --client-id C --subscription-id S --resource-group G

  --wait SECONDS     how long to retry when the cloud refuses, which may take minutes to know new objects`,
  options: {
    wait: { type: "string" },
    ...Object.fromEntries(
      Object.values(fields).flatMap((words) =>
        Object.values(words).map((option) => [option, { type: "string" as const }]),
      ),
    ),
  },
  async run(invocation) {
    const word = onlyPositional(invocation, "connection by its name or id");
    const body = identifiersOf(invocation);
    const waitMs = invocation.values.integer("wait", 0, 0, waitSecondsMax) * 1_000;
    const client = clientOf(invocation);
    const { id, name } = await connectionNamed(client, word);
    const endsAtMs = performance.now() + waitMs;
    const active = await untilAccepted(invocation, client, { id, body, endsAtMs });
    invocation.output.answer(active, () =>
      [
        `${printable(name)} is active`,
        `Next: lossless locations add --connection ${id} --region REGION`,
      ].join("\n"),
    );
  },
});

async function untilAccepted(
  { output }: Invocation,
  client: LosslessClient,
  { id, body, endsAtMs }: { id: string; body: CompleteConnectionBody; endsAtMs: number },
): Promise<Connection> {
  // The cloud's last refusal: that the service was asked too often would not help the user.
  let said: unknown;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    try {
      return await client.organization.completeConnection(id, body);
    } catch (error) {
      const isTooOften = error instanceof RequestError && error.code === "rate_limited";
      if (!isTooOften) said = error;
      const leftMs = endsAtMs - performance.now();
      if (leftMs <= 0 || !(await mayPass(error, client, id))) throw said ?? error;
      const { message } = error as Error;
      output.note(`${printable(message)} Trying again for ${Math.ceil(leftMs / 1_000)} s.`);
      await sleep(Math.min(pauseMs, leftMs));
    }
  }
}

/** Whether a refusal may pass: the cloud's is kept in the connection, the service's own is not. */
async function mayPass(error: unknown, client: LosslessClient, id: string): Promise<boolean> {
  if (!(error instanceof RequestError)) return false;
  if (["upstream", "rate_limited"].includes(error.code)) return true;
  if (error.code !== "bad_request") return false;
  const { connections } = await client.organization.view();
  return connections.find((one) => one.id === id)?.error === error.message;
}

function identifiersOf({ values }: Invocation): CompleteConnectionBody {
  const given = (Object.keys(fields) as CloudName[]).filter((cloud) =>
    Object.values(fields[cloud]).some((option) => values.text(option) !== undefined),
  );
  const [cloud, ...more] = given;
  if (cloud === undefined || more.length > 0) {
    throw new UsageError(
      "give the options that the setup script printed, for one cloud; see --help",
    );
  }
  const identifiers = Object.fromEntries(
    Object.entries(fields[cloud]).map(([field, option]) => [field, values.required(option)]),
  );
  return { cloud, [cloud]: identifiers } as unknown as CompleteConnectionBody;
}
