import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { json, text } from "node:stream/consumers";
import type { CompleteConnectionBody } from "@lossless/protocol";
import { answering } from "../../loopback.ts";
import type { Gcloud } from "./gcloud.ts";

/**
 * Runs a connection's setup script as an administrator does; the `gcloud` that it finds is ours.
 * Gives the body that it tells people to send.
 */
export async function runSetup(
  script: string,
  gcloud: Gcloud,
  variables: Readonly<Record<string, string>> = {},
): Promise<CompleteConnectionBody> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "lossless-gcloud-"));
  await using server = await answering((request, response) => {
    void json(request)
      .then((words) => gcloud.answer(words as string[]))
      .catch((error: unknown) => ({ code: 1, stderr: String(error) }))
      .then((answer) => response.end(JSON.stringify(answer)));
  });
  const program = join(directory.path, "gcloud");
  await writeFile(`${program}.mjs`, messenger(server.origin));
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${program}.mjs' "$@"\n`);
  await chmod(program, 0o755);
  const path = `${directory.path}${delimiter}${process.env.PATH ?? ""}`;
  const child = spawn("bash", ["-s", "--", "-y"], {
    cwd: directory.path,
    env: {
      PATH: path,
      HOME: directory.path,
      TMPDIR: directory.path,
      LOSSLESS_ALLOW_HTTP_ISSUER: "1",
      ...variables,
    },
    timeout: 600_000,
  });
  child.stdin.end(script);
  const ended = once(child, "close") as Promise<[number | null, string | null]>;
  const [output, complaints, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended,
  ]);
  if (code !== 0)
    throw new Error(`the setup script ended with ${code ?? signal}\n${output}\n${complaints}`);
  const body = output.split("\n").find((line) => line.trim().startsWith("{"));
  if (body === undefined) throw new Error(`the setup script named no body\n${output}`);
  return JSON.parse(body) as CompleteConnectionBody;
}

/** Takes the words of its command line to the counterpart, and brings back what that says. */
function messenger(origin: string): string {
  return `
const body = JSON.stringify(process.argv.slice(2));
const reply = await fetch("${origin}/", { method: "POST", body });
const { code, stdout = "", stderr = "" } = await reply.json();
if (stdout !== "") console.log(stdout);
if (stderr !== "") console.error(stderr);
process.exitCode = code;
`;
}
