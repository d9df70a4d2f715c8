import { join } from "node:path";
import type { CommandOptions, Invocation } from "./command.ts";
import { UsageError } from "./command.ts";

export const dataOptions: CommandOptions = {
  data: { type: "string" },
  "database-url": { type: "string" },
};

export const dataHelp = `
  --data DIR         data directory of the service (LOSSLESS_DATA; ./lossless-data)
  --database-url U   PostgreSQL instead (LOSSLESS_DATABASE_URL)`;

/** Where the data is, by the same options and variables as the service itself has. A flag beats a variable. */
export function driverSettingsOf({ values, environment }: Invocation) {
  const flagged = { data: values.text("data"), url: values.text("database-url") };
  if (flagged.data !== undefined && flagged.url !== undefined) {
    throw new UsageError("give --data or --database-url, not both");
  }
  const data = flagged.data ?? environment["LOSSLESS_DATA"] ?? "./lossless-data";
  const variable = flagged.data === undefined ? environment["LOSSLESS_DATABASE_URL"] : undefined;
  const databaseUrl = flagged.url ?? variable;
  return {
    data,
    dataDirectory: databaseUrl === undefined ? data : undefined,
    databaseUrl,
    cacheDirectory: join(data, "cache"),
  };
}
