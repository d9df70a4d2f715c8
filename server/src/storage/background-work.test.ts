import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "../database/database.ts";
import { DatabaseError } from "../database/database.ts";
import { CorruptData } from "../points/corrupt-data.ts";
import { BackgroundWork, type BackgroundParts } from "./background-work.ts";

test("an experiment that cannot be sealed does not keep the others from it, and is left alone for a while", async () => {
  const sealed: string[] = [];
  const warnings: string[] = [];
  const work = new BackgroundWork(
    parts({
      seal: async (id) => {
        sealed.push(id);
        if (id === "bad") throw new CorruptData("planted");
        if (id === "last") work.stop();
        return 1;
      },
      warn: (message) => warnings.push(message),
    }),
  );
  work.notify(["bad", "good"]);
  const running = work.run();
  await until(() => sealed.includes("good"));
  work.notify(["bad", "last"]);
  await running;
  assert.deepEqual(sealed, ["bad", "good", "last"]);
  assert.match(warnings.join(), /bad cannot be sealed/);
});

test("a failed disk ends the background work", async () => {
  const work = new BackgroundWork(
    parts({
      seal: async () => {
        throw new DatabaseError("failed", "planted");
      },
      warn: () => undefined,
    }),
  );
  work.notify(["any"]);
  await assert.rejects(work.run(), { kind: "failed" });
});

function parts(tools: {
  seal(experimentId: string): Promise<number>;
  warn(message: string): void;
}): BackgroundParts {
  const database: Database = {
    read: async () => [] as never,
    write: async () => assert.fail("the background thread does not write by itself"),
    [Symbol.asyncDispose]: async () => undefined,
  };
  return {
    database,
    write: async () => assert.fail("nothing to write"),
    sealer: { seal: (id: string) => tools.seal(id) } as BackgroundParts["sealer"],
    merger: { mergeDue: async () => 0 } as unknown as BackgroundParts["merger"],
    sweeper: { sweep: async () => 0 } as unknown as BackgroundParts["sweeper"],
    settings: { sealPoints: 1, sealIdleMs: 1 },
    node: undefined,
    warn: tools.warn,
  };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}
