import { join } from "node:path";
import type { CommandOptions, Invocation } from "./command.ts";

export const dataOptions: CommandOptions = {
  data: { type: "string" },
  "database-url": { type: "string" },
};

export const dataHelp = `
  --data DIR         data directory of the service (LOSSLESS_DATA; ./lossless-data)
  --database-url U   the database of a service on PostgreSQL (LOSSLESS_DATABASE_URL)`;

/**
 * Where the data is, by the same options and variables as the service itself has: with PostgreSQL the directory
 * still holds the master key and the built-in location. An empty variable is none.
 */
export function driverSettingsOf({ values, environment }: Invocation) {
  const data = values.text("data") ?? (environment["LOSSLESS_DATA"] || "./lossless-data");
  const databaseUrl =
    values.text("database-url") ?? (environment["LOSSLESS_DATABASE_URL"] || undefined);
  return {
    data,
    dataDirectory: databaseUrl === undefined ? data : undefined,
    databaseUrl,
    cacheDirectory: join(data, "cache"),
  };
}
