import assert from "node:assert/strict";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished, start } from "./cli/command-line.ts";
import { MovableClock } from "./movable-clock.ts";
import type { Service } from "./service.ts";

/** The report of `lossless gc --json`, as far as tests read it. */
export interface GarbageReport {
  removals: { upload: string; reason: string; state: string }[];
  strays: { key: string }[];
  objects: { key: string; what: string }[];
  problems: string[];
}

/** Runs `lossless gc` beside a service, running or not, on its data. */
export async function collectGarbage(
  { options, dataDirectory, provisionFile, baseUrl }: Service,
  environment: Record<string, string> = {},
): Promise<GarbageReport> {
  const words = ["gc", "--json", "--provision", provisionFile];
  if (options.databaseUrl !== undefined) words.push("--database-url", options.databaseUrl);
  for (const name of ["--artifacts", "--master-key-file"]) {
    const at = options.flags?.indexOf(name) ?? -1;
    if (at >= 0) words.push(name, options.flags![at + 1]);
  }
  const inItsData = { LOSSLESS_DATA: dataDirectory, ...environment };
  const { code, stdout, stderr } = await finished(start(baseUrl, words, inItsData));
  assert.equal(code, 0, stderr + stdout);
  return JSON.parse(stdout) as GarbageReport;
}

/** `lossless gc` would do so far later. A store that looks at the clock must be moved as well. */
export async function collectGarbageLater(
  service: Service,
  shiftMs: number,
): Promise<GarbageReport> {
  using directory = mkdtempDisposableSync(join(tmpdir(), "lossless-clock-"));
  return await collectGarbage(service, new MovableClock(directory.path, shiftMs).command);
}
