import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { LosslessClient } from "@lossless/client";
import { organizations, Service } from "../service.ts";
import { run } from "./command-line.ts";

let service: Service;
before(async () => {
  service = await Service.start();
});
after(() => service[Symbol.asyncDispose]());

const minute = 60_000;

test("a recorder reports its process, and `experiments show` prints attempts and evidence", async () => {
  const client = new LosslessClient({ baseUrl: service.baseUrl, apiKey: organizations.acme.key });
  const slug = "team/run";
  const earlier = await client.record({ slug });
  await earlier.reportAttempt({
    attempt: "a",
    process: { id: "a0", host: "node-1", launches: [{ by: "slurm", id: "7", restart: 0 }] },
    beganAgoMs: 10 * minute,
    beatAgoMs: 5 * minute,
    end: {
      how: "killed",
      signal: 15,
      agoMs: 5 * minute,
      evidence: ["SIGTERM \u001b left its mark."],
    },
  });
  const process = { host: "node-2", launches: [{ by: "slurm", id: "7", restart: 1 }] };
  const recorder = await client.record({ slug }, { attempt: { id: "b", process } });
  const { experimentId } = recorder;
  recorder.record("loss", 1, 41);
  await recorder.finish({ error: "out of memory\nmore" });
  const { attempts } = await client.attempts.read({ experimentId });
  assert.deepEqual(
    attempts.map(({ state, next, error, toStep }) => [state, next, error, toStep]),
    [
      ["preempted", { attempt: 2, by: "slurm" }, undefined, undefined],
      ["exited", undefined, "out of memory", 41],
    ],
  );
  const { stdout, stderr } = await run(service.baseUrl, "experiments", "show", slug);
  assert.equal(stderr, "");
  assert.match(
    stdout,
    /attempt {6}1 {2}began .* on node-1, preempted at .*, continued as attempt 2\n/,
  );
  assert.match(stdout, /SIGTERM \ufffd left its mark\./);
  assert.match(
    stdout,
    /attempt {6}2 .* on node-2, ended by an error at .*: out of memory, until step 41/,
  );
  const shown = await run(service.baseUrl, "experiments", "show", slug, "--json");
  assert.equal((JSON.parse(shown.stdout) as { attempts: unknown[] }).attempts.length, 2);
});
