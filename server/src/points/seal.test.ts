import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "../database/database.ts";
import type { SegmentBucket } from "../buckets/bucket.ts";
import { IdentifierHasher } from "./identifiers/hash.ts";
import { type EngineTools, Sealer } from "./seal.ts";

test("only where points may be elsewhere a trim asks how far the summaries are", async () => {
  let reads = 0;
  const read: Database["read"] = async () => {
    reads++;
    return 7 as never;
  };
  const sealer = (hasWorkers: boolean, steps: unknown[]) => {
    const write = async (_: string, step: unknown) => {
      steps.push(step);
      return { mayHaveMore: steps.length === 1 } as never;
    };
    const database = { read } as Database;
    const tools: EngineTools = { database, bucket: {} as SegmentBucket, hasWorkers, write };
    return new Sealer(tools, new IdentifierHasher(new Uint32Array(4)), async () => undefined);
  };
  const upTo = async (hasWorkers: boolean) => {
    const steps: { upTo?: number }[] = [];
    await sealer(hasWorkers, steps).trim("x");
    return steps.map((step) => step.upTo);
  };
  assert.deepEqual(await upTo(false), [undefined, undefined]);
  assert.equal(reads, 0);
  assert.deepEqual(await upTo(true), [7, 7]);
});
