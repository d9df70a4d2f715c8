import { spawn } from "node:child_process";
import { chmod, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import type { CompleteConnectionBody } from "@lossless/protocol";

/**
 * Runs a connection's setup script as an administrator does, with the real `aws`, which is pointed
 * at an endpoint of ours by its own option: Debian 12's version knows no variable for that. Gives
 * what the script printed.
 */
export async function runSetup(
  script: string,
  endpoint: string,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "lossless-aws-"));
  const path = process.env.PATH ?? "";
  const wrapper = join(directory.path, "aws");
  const call = `PATH='${path}' exec aws --endpoint-url '${endpoint}' "$@"`;
  await writeFile(wrapper, `#!/bin/sh\n${call}\n`);
  await chmod(wrapper, 0o755);
  const child = spawn("bash", ["-s", "--", "-y"], {
    cwd: directory.path,
    env: {
      ...commandLineEnvironment(variables),
      PATH: `${directory.path}${delimiter}${path}`,
      LOSSLESS_ALLOW_HTTP_ISSUER: "1",
    },
    timeout: 600_000,
  });
  child.stdin.end(script);
  const { promise: ended, resolve } = Promise.withResolvers<number | string>();
  child.once("error", (error) => resolve(error.message));
  child.once("close", (code, signal) => resolve(code ?? signal ?? "no exit code"));
  const [output, complaints, end] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended,
  ]);
  if (end !== 0) throw new Error(`the setup script ended with ${end}\n${output}\n${complaints}`);
  return output;
}

/** For `aws`, without the settings of whoever runs the tests. */
export function commandLineEnvironment(
  variables: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith("AWS_"));
  return {
    ...Object.fromEntries(others),
    AWS_CONFIG_FILE: "/dev/null",
    AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_DEFAULT_REGION: "us-east-1",
    AWS_PAGER: "",
    ...variables,
  };
}

/** The body that the script tells people to send. */
export function completionIn(output: string): CompleteConnectionBody {
  const line = output.split("\n").find((one) => one.trim().startsWith("{"));
  if (line === undefined) throw new Error(`the setup script named no body\n${output}`);
  return JSON.parse(line) as CompleteConnectionBody;
}
