import assert from "node:assert/strict";
import { test } from "node:test";
import { configOf } from "../settings/config.ts";
import { testService } from "./storage.fixture.ts";
import { storageProbe } from "./readiness.ts";

test("a full disk is not ready for writes, whatever the reserve is, and ready for reads", async () => {
  const { state } = testService();
  const isReady = async (reserve: string, freeBytes: number | undefined) => {
    const config = configOf({ diskReserveBytes: reserve });
    const { reads, writes } = await storageProbe(config, state, async () => freeBytes)();
    assert.equal(reads, true);
    return writes;
  };
  assert.equal(await isReady("0", 0), false);
  assert.equal(await isReady("0", 4_096), false);
  assert.equal(await isReady("0", 1_048_576), true);
  assert.equal(await isReady("2000000", 1_999_999), false);
  assert.equal(await isReady("2000000", 2_000_000), true);
  assert.equal(await isReady("0", undefined), true);
});
