import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { call, type JsonObject } from "../http.ts";
import { organizations, Service } from "../service.ts";
import { finished, start } from "./command-line.ts";

let service: Service;
let experiment: { experimentId: string; experimentToken: string };
const slug = "team/run";

before(async () => {
  service = await Service.start();
  const { text } = await call(service.baseUrl, {
    path: "/api/v2/events",
    credential: organizations.acme.key,
    body: {
      messageId: "open",
      event: "svc.v2.experiment.open",
      data: { slug, description: "", meta: {} },
    },
  });
  experiment = (JSON.parse(text) as { data: typeof experiment }).data;
  await append("a", 0, ["epoch 1", "loss 3.5", "epoch 2", "loss 2.5"]);
  await append("b", 1, ["other rank \u001b"]);
});
after(() => service[Symbol.asyncDispose]());

test("the last lines, all of them, those of a rank, and those that match", async () => {
  assert.equal(await logs("--lines", "2"), "loss 2.5\nother rank \ufffd\n");
  assert.match(await logs("--all"), /^epoch 1\nloss 3\.5\nepoch 2\nloss 2\.5\nother rank/);
  assert.equal(await logs("--rank", "1"), "other rank \ufffd\n");
  assert.equal(await logs("--grep", "loss"), "loss 3.5\nloss 2.5\n");
  assert.equal(await logs("--pattern", "^EPOCH [2-9]", "--ignore-case"), "epoch 2\n");
  assert.equal(await logs("--stream", "stderr"), "");
  assert.equal(
    await logs("--lines", "1", "--rank", "0", "--times"),
    "2023-11-14T22:13:20.000Z  loss 2.5\n",
  );
  const [line] = (await logs("--grep", "loss 3", "--json")).trim().split("\n");
  assert.partialDeepStrictEqual(JSON.parse(line) as JsonObject, { line: 1, text: "loss 3.5" });
});

test("what is asked wrongly is exit 2 with a sentence", async () => {
  const wrong: [string[], RegExp][] = [
    [["--grep", "a", "--pattern", "b"], /--grep or --pattern, not both/],
    [["--ignore-case"], /--ignore-case goes with/],
    [["--follow", "--grep", "a"], /--follow does not search/],
    [["--stream", "stdin"], /--stream must be one of/],
    [["--lines", "0"], /--lines must be a whole number/],
  ];
  for (const [words, sentence] of wrong) {
    const { code, stderr } = await finished(start(service.baseUrl, ["logs", slug, ...words]));
    assert.equal(code, 2, words.join(" "));
    assert.match(stderr, sentence);
  }
});

test("--follow prints lines as they come", async () => {
  const following = start(service.baseUrl, ["logs", slug, "--follow", "--lines", "1"]);
  let printed = "";
  following.stdout!.on("data", (text: Buffer) => (printed += text.toString()));
  const shows = async (text: string) => {
    while (!printed.includes(text)) await once(following.stdout!, "data");
  };
  await shows("other rank");
  await append("a", 0, ["epoch 1", "loss 3.5", "epoch 2", "loss 2.5", "epoch 3"]);
  await shows("epoch 3\n");
  assert.ok(!printed.includes("epoch 2"));
  following.kill();
  await once(following, "close");
});

async function append(id: string, rank: number, texts: string[]): Promise<void> {
  const lines = texts.map((text) => ({ timestampMs: 1_700_000_000_000, stream: "stdout", text }));
  const { status, text } = await call(service.baseUrl, {
    path: `/api/console/v1/experiments/${experiment.experimentId}/lines`,
    credential: experiment.experimentToken,
    body: { source: { id, rank }, first: 0, lines },
  });
  assert.equal(status, 200, text);
}

async function logs(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await finished(start(service.baseUrl, ["logs", slug, ...words]));
  assert.equal(code, 0, stderr);
  return stdout;
}
