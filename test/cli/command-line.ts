import { type ChildProcess, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { checkoutRoot, compileCache, organizations } from "../service.ts";

export interface Finished {
  code: number | string;
  stdout: string;
  stderr: string;
}

const program = join(checkoutRoot, "cli/bin/lossless.js");

/** `lossless WORDS` runs as a child, with a test service's address and key in its environment. */
export function start(
  baseUrl: string,
  words: readonly string[],
  further: Readonly<Record<string, string>> = {},
  directory?: string,
): ChildProcess {
  const { LOSSLESS_DATA: _, LOSSLESS_DATABASE_URL: __, ...environment } = process.env;
  return spawn(process.execPath, [program, ...words], {
    cwd: directory,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...environment,
      ...compileCache(),
      LOSSLESS_URL: baseUrl,
      LOSSLESS_API_KEY: organizations.acme.key,
      ...further,
    },
  });
}

export async function run(baseUrl: string, ...words: string[]): Promise<Finished> {
  return finished(start(baseUrl, words));
}

export async function finished(child: ChildProcess): Promise<Finished> {
  const ended = new Promise<number | string>((resolve) => {
    child.once("close", (code, signal) => resolve(code ?? signal ?? -1));
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  return { code: await ended, stdout, stderr };
}
