import assert from "node:assert/strict";
import { test } from "node:test";
import { DatabaseError, type Reader } from "../database.ts";
import { GuardedReads } from "./guarded-reads.ts";

test("while a worker is away its reads fail at once, and nothing is asked of it", async () => {
  let refusal: DatabaseError | undefined;
  let asked = 0;
  const reads = new GuardedReads(
    {
      async read(work) {
        asked++;
        return work({} as Reader);
      },
    },
    () => refusal,
  );
  const read = () => reads.read(async () => "read");
  assert.equal(await read(), "read");
  refusal = new DatabaseError("unavailable", "away");
  await assert.rejects(read(), refusal);
  assert.equal(asked, 1);
  refusal = undefined;
  assert.equal(await read(), "read");
});
