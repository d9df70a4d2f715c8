import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { hasCode, type LosslessClient } from "@lossless/client";
import type { Administration } from "@lossless/server/operator/administration";
import { CommandError, commandsWith, type Invocation, UsageError } from "./command.ts";
import { clientOf, connectionHelp, connectionOptions, isSignedIn } from "./connection.ts";
import { dataHelp, dataOptions, driverSettingsOf } from "./data-location.ts";
import { explained } from "./explained.ts";
import { credentialOf } from "./login/credential.ts";

/** A command on the service or on the data. */
export const administrationCommand = commandsWith(
  { ...connectionOptions, ...dataOptions },
  `${connectionHelp}${dataHelp}`,
);

export const waysHelp = `
The command works through the service, as the person of lossless login, or on the data itself, beside a stopped or a
running service, without a credential. --url or --api-key choose the service; --data, --database-url or --config choose
the data. Without them it uses the data if LOSSLESS_DATA, LOSSLESS_DATABASE_URL or LOSSLESS_CONFIG is set; otherwise the
service if LOSSLESS_URL or LOSSLESS_API_KEY is set or a person has signed in; otherwise ./lossless-data.
`;

/** The two ways in which an administration command works. */
export interface Ways {
  byService: (client: LosslessClient, invocation: Invocation) => Promise<void>;
  onData: (administration: Administration, invocation: Invocation) => Promise<void>;
}

/** Runs one of the ways and reports which: the wrong service's list looks like the right one's. */
export function administered(invocation: Invocation, ways: Ways): Promise<void> {
  return isOnData(invocation) ? onData(invocation, ways.onData) : byService(invocation, ways);
}

/** Options decide, then variables, then the sign-in. */
function isOnData({ values, environment, ...invocation }: Invocation): boolean {
  const data = Object.keys(dataOptions).map((name) => values.text(name));
  const service = [values.text("url"), values.text("api-key")];
  if (data.some(isGiven)) {
    if (!service.some(isGiven)) return true;
    throw new UsageError(
      "give --url and --api-key, or --data, --database-url or --config, not both",
    );
  }
  if (service.some(isGiven)) return false;
  if (hasDataVariable(environment)) return true;
  if (["LOSSLESS_URL", "LOSSLESS_API_KEY"].some((name) => isGiven(environment[name]))) return false;
  return !isSignedIn({ values, environment, ...invocation });
}

function hasDataVariable(environment: NodeJS.ProcessEnv): boolean {
  const names = ["LOSSLESS_DATA", "LOSSLESS_DATABASE_URL", "LOSSLESS_CONFIG"];
  return names.some((name) => isGiven(environment[name]));
}

function isGiven(text: string | undefined): boolean {
  return text !== undefined && text !== "";
}

async function byService(invocation: Invocation, ways: Ways): Promise<void> {
  const client = clientOf(invocation);
  const { url, from } = credentialOf(invocation);
  invocation.output.note(`Service: ${url}`);
  try {
    return await ways.byService(client, invocation);
  } catch (error) {
    if (!hasCode(error, "forbidden") || from === "login") throw error;
    const sentence = explained(error as Error, invocation);
    throw new CommandError(`${sentence} On the machine of the data, --data DIR needs no person.`);
  }
}

/** Runs a command that only works on the data, for the operator. */
export async function onData(
  invocation: Invocation,
  work: Ways["onData"],
  unlocated = "there is no sign-in and no API key",
): Promise<void> {
  const { values, environment, output } = invocation;
  const settings = await driverSettingsOf(invocation);
  const { data, databaseUrl } = settings;
  const isLocated =
    hasDataVariable(environment) ||
    Object.keys(dataOptions).some((name) => values.text(name) !== undefined);
  if (!isLocated && !existsSync(data)) {
    throw new UsageError(
      `${unlocated}, and no directory ${data} here: run lossless login, or give --data DIR or --database-url`,
    );
  }
  const { administer } = await import("@lossless/server/operator/administration");
  const { describePostgresUrl } = await import("@lossless/server/ground/postgres-url");
  await using administration = await administer(settings);
  const where =
    databaseUrl === undefined ? resolve(data) : `PostgreSQL at ${describePostgresUrl(databaseUrl)}`;
  output.note(`Data: ${where}`);
  return await work(administration, invocation);
}
