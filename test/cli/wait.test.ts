import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { LosslessClient, type Recorder } from "@lossless/client";
import { organizations, Service } from "../service.ts";
import { finished, start } from "./command-line.ts";

let service: Service;
let client: LosslessClient;

before(async () => {
  service = await Service.start();
  const { key } = organizations.acme;
  client = new LosslessClient({ baseUrl: service.baseUrl, apiKey: key });
});
after(() => service[Symbol.asyncDispose]());

test("0: the condition holds; 3: the run has ended without it", async () => {
  const recorder = await client.record({ slug: "team/run" });
  const met = wait("team/run", "--until", "val/loss < 3.3");
  const done = wait("team/run");
  const never = wait("team/run", "--until", "val/los > 10", "--json");
  await record(recorder, 3.5, 3.2);
  const first = await met;
  assert.deepEqual([first.code, first.stdout], [0, `team/run: val/loss < 3.3 ${found}\n`]);
  await recorder.finish();
  assert.equal((await done).code, 0);
  const last = await never;
  assert.equal(last.code, 3);
  const answer = JSON.parse(last.stdout) as object;
  const missing = [{ field: "metric.val/los", near: ["metric.val/loss"] }];
  assert.partialDeepStrictEqual(answer, { outcome: "ended", status: "done", missing });
  assert.match(last.stderr, /there is no metric\.val\/los .*did you mean metric\.val\/loss/);
});

const found = "(metric.val/loss = 3.2, running, 2 points)";

test("4: the time is over; 1: there is no such run; 2: a wrong command line", async () => {
  await client.openExperiment({ slug: "team/slow" });
  const late = await wait("team/slow", "--until", "loss < 1", "--timeout", "0s");
  assert.equal(late.code, 4);
  assert.match(late.stdout, /^team\/slow has not reached in time: loss < 1 \(no metric\.loss, /);
  const absent = await wait("team/slo");
  assert.deepEqual([absent.code, /did you mean team\/slow/.test(absent.stderr)], [1, true]);
  const wrong: [string[], RegExp][] = [
    [["--until", "loss <"], /expected a value, found the end\n {2}loss <\n {8}\^/],
    [["--until", "dnoe"], /expected a test such as val\/loss < 3\.3, or done or silent/],
    [["--timeout", "5"], /--timeout must be a duration/],
  ];
  for (const [words, sentence] of wrong) {
    const { code, stderr } = await wait("team/slow", ...words);
    assert.equal(code, 2);
    assert.match(stderr, sentence);
  }
});

test("Ctrl-C ends the wait by its signal", async () => {
  await client.openExperiment({ slug: "team/stopped" });
  const stopped = start(service.baseUrl, ["wait", "team/stopped", "--until", "val/loss = 7"]);
  await tells(stopped)(/there is no metric\.val\/loss so far/);
  stopped.kill("SIGINT");
  const [, signal] = (await once(stopped, "exit")) as [number | null, string | null];
  assert.equal(signal, "SIGINT");
});

/** Returns a function that waits until the child's standard error contains a sentence. */
function tells({ stderr }: ChildProcess): (sentence: RegExp) => Promise<void> {
  let text = "";
  stderr!.on("data", (part: Buffer) => (text += part.toString()));
  return async (sentence) => {
    while (!sentence.test(text)) await once(stderr!, "data");
  };
}

async function record(recorder: Recorder, ...values: number[]): Promise<void> {
  for (const [step, value] of values.entries()) recorder.record("val/loss", value, step);
  await recorder.flush();
}

function wait(...words: string[]) {
  return finished(start(service.baseUrl, ["wait", ...words]));
}
