import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { MlflowCaller } from "../contract/mlflow/mlflow-calls.ts";
import { RunFiles } from "../contract/mlflow/run-files.ts";
import { organizations, Service } from "../service.ts";
import { Random } from "./random.ts";
import { runVerify } from "./verify-command.ts";

const kills = 4;
const paths = ["a.txt", "folder/b.bin", "folder/ü"];

/** The content of a file's n-th writing: every length, some of several blocks. */
function contentOf(path: string, writing: number): string {
  const word = createHash("sha256").update(`${path} ${writing}`).digest("hex");
  return word.repeat([1, 40, 9_000, 0][writing % 4] ?? 0);
}

test("kill -9 during PUTs: what was acknowledged is there, whole, or a later one", async (context) => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  context.diagnostic(`seed ${seed}`);
  const random = new Random(seed);
  await using service = await Service.start();
  const target = {
    get baseUrl() {
      return service.baseUrl;
    },
    observe: () => undefined,
  };
  const caller = new MlflowCaller(target, organizations.acme.key);
  const run = new RunFiles(caller, await caller.run());
  const written = new Map(paths.map((path) => [path, { acknowledged: -1, sent: -1 }]));
  for (let kill = 0; kill < kills; kill++) {
    const after = 5 + random.below(40);
    let acknowledged = 0;
    let isKilled = false;
    const killed = Promise.withResolvers<void>();
    const write = async (path: string) => {
      const state = written.get(path)!;
      while (!isKilled) {
        state.sent++;
        const writing = state.sent;
        try {
          await run.put(path, contentOf(path, writing));
        } catch (error) {
          if (isKilled) return;
          throw error;
        }
        state.acknowledged = writing;
        if (++acknowledged === after) {
          isKilled = true;
          killed.resolve(service.kill());
        }
      }
    };
    await Promise.all([...paths.map(write), killed.promise]);
    await service.start();
    for (const [path, state] of written) {
      const reply = await run.at(path);
      if (reply.status === 404 && state.acknowledged === -1) continue;
      assert.equal(reply.status, 200, `${path}: ${reply.text}`);
      const possible = Array.from(
        { length: state.sent - state.acknowledged + 1 },
        (_, at) => state.acknowledged + at,
      );
      const found = possible.find((writing) => contentOf(path, writing) === reply.text);
      assert.ok(found !== undefined, `${path} is none of ${possible.join()}`);
      state.acknowledged = found;
      state.sent = found;
    }
  }
  assert.equal(await service.stop(), 0, service.errors);
  const { code, output } = await runVerify(service);
  assert.equal(code, 0, output);
  assert.match(output, /\b3 files\b/);
});
