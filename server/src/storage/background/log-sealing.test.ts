import assert from "node:assert/strict";
import { test } from "node:test";
import { DatabaseError, type Database } from "../../database/database.ts";
import { CorruptData } from "../../points/corrupt-data.ts";
import { LogSealing, type LogSealingParts } from "./log-sealing.ts";

const running = new AbortController().signal;

test("an experiment that cannot be sealed does not keep the others from it, and is left alone for a while", async () => {
  const sealed: string[] = [];
  const warnings: string[] = [];
  const sealing = sealingBy(
    async (id) => {
      sealed.push(id);
      if (id === "bad") throw new CorruptData("planted");
      return 1;
    },
    (message) => warnings.push(message),
  );
  sealing.notify(["bad", "good"]);
  assert.equal(await sealing.round(running), false);
  sealing.notify(["bad", "last"]);
  await sealing.round(running);
  assert.deepEqual(sealed, ["bad", "good", "last"]);
  assert.match(warnings.join(), /bad cannot be sealed/);
});

test("what is noticed while a round runs is at hand; of another node's work nothing is", async () => {
  const sealing = sealingBy(async () => {
    sealing.notify(["next"]);
    return 1;
  });
  sealing.notify(["first"]);
  assert.equal(await sealing.round(running), true);
  const other = sealingBy(() => assert.fail("another node seals it"));
  other.notify(["any"]);
  other.idle();
  await other.round(running);
});

test("a failed disk ends the sealing", async () => {
  const sealing = sealingBy(async () => {
    throw new DatabaseError("failed", "planted");
  });
  sealing.notify(["any"]);
  await assert.rejects(sealing.round(running), { kind: "failed" });
});

function sealingBy(
  seal: (experimentId: string) => Promise<number>,
  warn: (message: string) => void = () => undefined,
): LogSealing {
  const database: Database = {
    read: async () => [] as never,
    write: async () => assert.fail("the background thread does not write by itself"),
    [Symbol.asyncDispose]: async () => undefined,
  };
  return new LogSealing({
    database,
    sealer: { seal } as LogSealingParts["sealer"],
    merger: { mergeDue: async () => 0 } as unknown as LogSealingParts["merger"],
    isHeld: () => false,
    settings: { sealPoints: 1, sealIdleMs: 1 },
    slices: undefined,
    warn,
  });
}
