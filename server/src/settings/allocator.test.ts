import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { settings, youngHeap } from "./allocator.ts";

const skip = process.platform !== "linux" && "only glibc has these settings";

test("a process begins anew with the settings, and what its user has set stays", { skip }, () => {
  const [young] = youngHeap.split("=");
  const own = { MALLOC_ARENA_MAX: "8", NODE_OPTIONS: `${young}=16` };
  const left = { MALLOC_TRIM_THRESHOLD_: "131072" };
  assert.deepEqual(begun({}), { ...settings, flags: [youngHeap] });
  assert.deepEqual(begun(own), { ...settings, MALLOC_ARENA_MAX: "8", flags: [] });
  assert.deepEqual(begun(left), { ...left, flags: [] });
});

/** Returns the settings with which a process of this environment goes on. */
function begun(env: Record<string, string>): Record<string, unknown> {
  const module = JSON.stringify(pathToFileURL(`${import.meta.dirname}/allocator.ts`));
  const code = `
    import { ensureTightAllocator } from ${module};
    ensureTightAllocator();
    const set = Object.entries(process.env).filter(([name]) => name.startsWith("MALLOC_"));
    const flags = process.execArgv.filter((flag) => flag.startsWith("--max-semi"));
    console.log(JSON.stringify({ ...Object.fromEntries(set), flags }));`;
  const words = ["--input-type=module", "--eval", code];
  return JSON.parse(execFileSync(process.execPath, words, { env }).toString()) as Record<
    string,
    unknown
  >;
}
