import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { json, text } from "node:stream/consumers";
import type { CompleteConnectionBody } from "@lossless/protocol";
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
  const directory = await mkdtemp(join(tmpdir(), "lossless-gcloud-"));
  const server = createServer((request, response) => {
    void json(request)
      .then((words) => gcloud.answer(words as string[]))
      .catch((error: unknown) => ({ code: 1, stderr: String(error) }))
      .then((answer) => response.end(JSON.stringify(answer)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const program = join(directory, "gcloud");
    const { port } = server.address() as AddressInfo;
    await writeFile(`${program}.mjs`, messenger(port));
    await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${program}.mjs' "$@"\n`);
    await chmod(program, 0o755);
    const path = `${directory}${delimiter}${process.env.PATH ?? ""}`;
    const child = spawn("bash", ["-s", "--", "-y"], {
      cwd: directory,
      env: {
        PATH: path,
        HOME: directory,
        TMPDIR: directory,
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
  } finally {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
    await rm(directory, { recursive: true, force: true });
  }
}

/** Takes the words of its command line to the counterpart, and brings back what that says. */
function messenger(port: number): string {
  return `
const body = JSON.stringify(process.argv.slice(2));
const reply = await fetch("http://127.0.0.1:${port}/", { method: "POST", body });
const { code, stdout = "", stderr = "" } = await reply.json();
if (stdout !== "") console.log(stdout);
if (stderr !== "") console.error(stderr);
process.exitCode = code;
`;
}
