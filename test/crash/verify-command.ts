import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Service } from "../service.ts";

/** The command `lossless verify` on the data of a stopped service. */
export async function runVerify(
  service: Service,
): Promise<{ code: number | null; output: string }> {
  const { databaseUrl } = service.options;
  const program = join(service.checkout, "cli/bin/lossless.js");
  const where =
    databaseUrl === undefined ? ["--data", service.dataDirectory] : ["--database-url", databaseUrl];
  const { flags = [], environment } = service.options;
  const artifacts = flags.indexOf("--artifacts");
  if (artifacts !== -1) where.push("--artifacts", flags[artifacts + 1] ?? "");
  else if (databaseUrl !== undefined)
    where.push("--artifacts", join(service.dataDirectory, "artifacts"));
  const segments = flags.indexOf("--segments");
  if (segments !== -1) where.push("--segments", flags[segments + 1] ?? "");
  const child = spawn(process.execPath, [program, "verify", ...where], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += String(chunk)));
  child.stderr.on("data", (chunk: Buffer) => (output += String(chunk)));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, output };
}
