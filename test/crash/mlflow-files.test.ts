import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { RunFiles } from "../contract/mlflow/run-files.ts";
import { killDuring } from "./mlflow-kills.ts";

const paths = ["a.txt", "folder/b.bin", "folder/ü"];

/** The content of a file's n-th writing: every length, some of several blocks. */
function contentOf(path: string, writing: number): string {
  const word = createHash("sha256").update(`${path} ${writing}`).digest("hex");
  return word.repeat([1, 40, 9_000, 0][writing % 4] ?? 0);
}

test("kill -9 during PUTs: what was acknowledged is there, whole, or a later one", async (context) => {
  const output = await killDuring(context, async (caller) => {
    const run = new RunFiles(caller, await caller.run());
    const written = new Map(paths.map((path) => [path, { acknowledged: -1, sent: -1 }]));
    return {
      kills: 4,
      writers: paths,
      async write(path) {
        const state = written.get(path)!;
        state.sent++;
        const writing = state.sent;
        await run.put(path, contentOf(path, writing));
        state.acknowledged = writing;
      },
      async check() {
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
      },
    };
  });
  assert.match(output, /\b3 files\b/);
});
