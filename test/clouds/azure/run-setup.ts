import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmod, mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import type { CompleteConnectionBody, Connection } from "@lossless/protocol";
import type { AzureDouble } from "./double.ts";
import type { AzureApplication } from "./entra.ts";

/**
 * Runs a connection's setup script as an administrator does, with a stub in the place of `az`, and
 * makes the double trust what the script has asked `az` for: nothing else. Gives the identifiers
 * that the script prints at its end.
 */
export async function setUpAzure(
  double: AzureDouble,
  { setup }: Connection,
): Promise<CompleteConnectionBody> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "lossless-az-"));
  const ids = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()] as const;
  const calls = join(directory.path, "calls.jsonl");
  const az = join(directory.path, "az");
  const program = join(import.meta.dirname, "az-program.ts");
  await writeFile(calls, "");
  await writeFile(az, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  await chmod(az, 0o755);
  const output = await run(setup, {
    PATH: `${directory.path}${delimiter}${process.env.PATH ?? ""}`,
    HOME: directory.path,
    LOSSLESS_ALLOW_HTTP_ISSUER: "1",
    AZ_CALLS: calls,
    AZ_IDS: ids.join(" "),
  });
  const lines = (await readFile(calls, "utf8")).split("\n").filter(Boolean);
  double.entra.applications.push(
    applicationOf(
      lines.map((line) => JSON.parse(line) as string[]),
      ids,
    ),
  );
  const body = output.split("\n").find((line) => line.trim().startsWith("{"));
  assert.ok(body, `the setup script named no body\n${output}`);
  return JSON.parse(body) as CompleteConnectionBody;
}

async function run(script: string, variables: Record<string, string>): Promise<string> {
  const child = spawn("bash", ["-s", "--", "-y"], { env: variables, timeout: 600_000 });
  child.stdin.end(script);
  const ended = new Promise((resolve) => child.once("close", resolve));
  const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.equal(await ended, 0, `${output}\n${complaints}`);
  return output;
}

/** The application in the recorded calls. */
function applicationOf(
  calls: readonly string[][],
  [tenantId, subscriptionId, clientId]: readonly [string, string, string],
): AzureApplication {
  const credential = calls.find((call) => isOf(call, "ad app federated-credential create"));
  const { issuer, subject, audiences } = JSON.parse(
    optionOf(credential ?? [], "--parameters"),
  ) as Record<"issuer" | "subject", string> & { audiences: string[] };
  assert.deepEqual(optionOf(credential!, "--id"), clientId);
  assert.equal(audiences.length, 1);
  const group = calls.find((call) => isOf(call, "group create"));
  const resourceGroup = optionOf(group ?? [], "--name");
  const scope = `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroup}`;
  const assignments = calls.filter((call) => isOf(call, "role assignment create"));
  for (const call of assignments) assert.equal(optionOf(call, "--scope"), scope);
  const roles = assignments.map((call) => optionOf(call, "--role"));
  const names = { tenantId, clientId, subscriptionId, resourceGroup };
  return { ...names, issuer, subject, audience: audiences[0], roles };
}

function isOf(call: readonly string[], command: string): boolean {
  return call.join(" ").startsWith(command);
}

function optionOf(call: readonly string[], name: string): string {
  const value = call[call.indexOf(name) + 1];
  assert.ok(call.includes(name) && value !== undefined, `${name} in ${call.join(" ")}`);
  return value;
}
