import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "../database/database.ts";
import type { ReplyText } from "../ground/reply-text.ts";
import { Reads } from "./reads.ts";

test("the rest of a reply runs when its transaction has ended", async () => {
  let isOpen = false;
  const database: Partial<Database> = {
    async read(work) {
      isOpen = true;
      const result = await work({} as never);
      isOpen = false;
      return result;
    },
  };
  const draw = async (_reader: unknown, _input: unknown, text: ReplyText) => {
    await text.add(String(isOpen));
    return async () => text.add(` ${isOpen}`);
  };
  const reads = new Reads({
    database: database as Database,
    reads: {},
    replies: { draw },
    boundsOf: () => undefined,
    context: () => ({ nowMs: 0 }),
  });
  const bytes = { max: 100, left: 100 };
  const { value } = await reads.reply({ name: "draw", input: {}, bytes });
  assert.equal(Buffer.concat(value).toString(), "true false");
});
