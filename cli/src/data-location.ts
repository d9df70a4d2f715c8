import { join } from "node:path";
import type { Config } from "@lossless/server/settings/config";
import type { OptionName } from "@lossless/server/settings/options";
import { type CommandOptions, commandsWith, type Invocation } from "./command.ts";

export const dataOptions: CommandOptions = {
  data: { type: "string" },
  "database-url": { type: "string" },
  "database-password-file": { type: "string" },
  "workers-file": { type: "string" },
  config: { type: "string" },
};

export const dataHelp = `
  --data DIR         data directory of the service (LOSSLESS_DATA; ./lossless-data)
  --database-url U   the database of a service on PostgreSQL (LOSSLESS_DATABASE_URL)
  --database-password-file F  holds its password (LOSSLESS_DATABASE_PASSWORD_FILE; in the address)
  --workers-file F   the service's servers for points (LOSSLESS_WORKERS_FILE; none)
  --config FILE      the service's file of options, for options not given here (LOSSLESS_CONFIG)`;

/** A command on the data of a service. */
export const dataCommand = commandsWith(dataOptions, dataHelp);

/** With PostgreSQL the directory still holds the master key and the built-in location. */
export async function driverSettingsOf(invocation: Invocation) {
  const { data, databaseUrl, databasePasswordFile, workersFile } = await serviceOptionsOf(
    invocation,
    ["data", "databaseUrl", "databasePasswordFile", "workersFile"],
  );
  return {
    data,
    ...(workersFile !== undefined && { workerUrls: await readWorkersOf(workersFile, databaseUrl) }),
    dataDirectory: databaseUrl === undefined ? data : undefined,
    databaseUrl,
    databasePasswordFile,
    cacheDirectory: join(data, "cache"),
  };
}

async function readWorkersOf(file: string, databaseUrl: string | undefined): Promise<string[]> {
  const { readWorkers } = await import("@lossless/server/settings/workers-file");
  return readWorkers(file, databaseUrl);
}

/**
 * Reads options as the service does, so that a command works on the service's data: a flag beats a
 * variable, a variable beats the file. An empty variable counts as none. Throws ConfigError.
 */
export async function serviceOptionsOf<Name extends OptionName>(
  { values, environment }: Pick<Invocation, "values" | "environment">,
  names: readonly Name[],
): Promise<Pick<Config, Name>> {
  const { flagName, variableName } = await import("@lossless/server/settings/options");
  const { readCommandLine } = await import("@lossless/server/settings/config");
  const words = [...names.map(flagName), "config"].flatMap((flag) => {
    const text = values.text(flag);
    return text === undefined ? [] : [`--${flag}`, text];
  });
  const variables = [...names.map(variableName), "LOSSLESS_CONFIG"].flatMap((name) => {
    const text = environment[name];
    return text === undefined || text === "" ? [] : [[name, text] as const];
  });
  const line = readCommandLine(words, Object.fromEntries(variables));
  if (line.kind !== "serve") throw new Error(`BUG: options of a service read as ${line.kind}`);
  return line.config;
}
