import { execFile, type ExecFileOptions } from "node:child_process";
import { basename } from "node:path";

/** Runs a program and returns its standard output. Throws with its error output when it fails. */
export function run(
  program: string,
  words: readonly string[],
  options: Pick<ExecFileOptions, "cwd" | "env"> = {},
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const settings = { ...options, encoding: "buffer", maxBuffer: 1 << 30 } as const;
  execFile(program, [...words], settings, (error, stdout, stderr) => {
    if (error === null) return resolve(stdout);
    const said = `${stderr.toString()}${stdout.toString("utf8", 0, 4000)}`.trim();
    reject(new Error(`${basename(program)} ${words.join(" ")}: ${said || error.message}`));
  });
  return promise;
}
