import assert from "node:assert/strict";
import { test } from "node:test";
import { nextVersion } from "./version-name.ts";

test("the next version stands above the latest, also where versions are ordered by bytes", () => {
  const next: [string | undefined, string][] = [
    [undefined, "000000000001"],
    ["000000000001", "000000000002"],
    ["000000000999", "000000001000"],
    ["7", "8"],
    ["0099", "0100"],
    ["90071992547409930", "90071992547409931"],
  ];
  for (const [latest, expected] of next) assert.equal(nextVersion(latest), expected);
});

test("where no number stands above it, a name is asked for", () => {
  assert.throws(() => nextVersion("step-5"), /step-5, which is not a number/);
  assert.throws(() => nextVersion("99"), /99, and 100 would come before it/);
});
