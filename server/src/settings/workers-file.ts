import { readFileSync } from "node:fs";
import { parsePostgresUrl, PostgresUrlError } from "../ground/postgres-url.ts";
import { ConfigError } from "./options.ts";

/**
 * Reads the addresses of the workers from a file: one a line, as `--database-url`
 * has them. Empty lines, and those that begin with `#`, say nothing. Throws ConfigError, which
 * names no address: it may have a password.
 */
export function readWorkers(file: string, databaseUrl: string | undefined): string[] {
  if (databaseUrl === undefined) throw new ConfigError("Workers need --database-url.");
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new ConfigError(`The file ${file} (workers) cannot be read: ${code}.`);
  }
  const urls: string[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    const url = line.trim();
    if (url === "" || url.startsWith("#")) continue;
    try {
      parsePostgresUrl(url);
    } catch (error) {
      if (!(error instanceof PostgresUrlError)) throw error;
      throw new ConfigError(`${file} (workers), line ${at + 1}: the address ${error.message}.`);
    }
    urls.push(url);
  }
  if (urls.length === 0) throw new ConfigError(`${file} (workers) names no worker.`);
  return urls;
}
