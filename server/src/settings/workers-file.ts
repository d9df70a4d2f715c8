import { readFileSync } from "node:fs";
import { parsePostgresUrl, PostgresUrlError } from "../ground/postgres-url.ts";
import type { Config } from "./config.ts";
import { ConfigError } from "./options.ts";

/**
 * Returns the addresses of the workers of a service; undefined: it has none. Sealed points are in
 * one bucket, whatever the server. Throws ConfigError.
 */
export function workersOf({
  workersFile,
  databaseUrl,
  segments,
}: Pick<Config, "workersFile" | "databaseUrl" | "segments">): string[] | undefined {
  if (workersFile === undefined) return undefined;
  const urls = readWorkers(workersFile, databaseUrl);
  if (segments === undefined)
    throw new ConfigError(
      "--workers-file needs --segments: sealed points of all servers are in one bucket.",
    );
  return urls;
}

/**
 * Reads the addresses of the workers from a file: one a line, as `--database-url`
 * has them. Empty lines, and those that begin with `#`, say nothing. Throws ConfigError, which
 * names no address: it may have a password.
 */
export function readWorkers(file: string, databaseUrl: string | undefined): string[] {
  if (databaseUrl === undefined)
    throw new ConfigError(
      "--workers-file needs --database-url: SQLite has its points in the data directory.",
    );
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new ConfigError(`The file ${file} (--workers-file) cannot be read: ${code}.`);
  }
  const urls: string[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    const url = line.trim();
    if (url === "" || url.startsWith("#")) continue;
    try {
      parsePostgresUrl(url);
    } catch (error) {
      if (!(error instanceof PostgresUrlError)) throw error;
      const place = `${file} (--workers-file), line ${at + 1}`;
      throw new ConfigError(`${place}: the address ${error.message}.`);
    }
    urls.push(url);
  }
  if (urls.length === 0) throw new ConfigError(`${file} (--workers-file) names no worker.`);
  return urls;
}
