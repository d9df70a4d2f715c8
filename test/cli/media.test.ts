import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { JsonObject } from "../http.ts";
import { organizations, Service } from "../service.ts";
import { OrganizationCaller, targetOf } from "../contract/callers.ts";
import { MlflowCaller } from "../contract/mlflow/mlflow-calls.ts";
import { RunFiles } from "../contract/mlflow/run-files.ts";
import { annotate, media, text } from "../contract/views-v1/logged-calls.ts";
import { finished, start } from "./command-line.ts";

let service: Service;
let run: string;
const slug = "team/run";

before(async () => {
  service = await Service.start();
  const target = targetOf(service);
  const experiment = await new OrganizationCaller(target, organizations.acme.key).open(slug);
  await annotate(experiment, [
    text("phase", 0, "warm-up"),
    text("phase", 20, "train"),
    media("image", "samples", 10),
    media("table", "samples", 10),
  ]);
  const caller = new MlflowCaller(target, organizations.acme.key);
  run = await caller.run("0", { run_name: "of mlflow" });
  const files = new RunFiles(caller, run);
  for (const step of [0, 5])
    await files.put(`images/cats%step%${step}%timestamp%1%g${step}.png`, `picture ${step}`);
});
after(() => service[Symbol.asyncDispose]());

test("what a run has logged is listed by name, then by step, and its files are written", async () => {
  assert.match(
    await printed(slug),
    /phase +text +2 +0 to 20\nsamples +image +1 +10 to 10\nsamples +table/,
  );
  assert.match(await printed(slug, "phase"), /0 .*warm-up\n20 .*train\n$/);
  assert.match(await printed(slug, "phase", "--step", "13"), /STEP.*\n20 .*train\n$/);
  const [item] = JSON.parse(
    await printed(slug, "samples", "--kind", "table", "--json"),
  ) as JsonObject[];
  assert.partialDeepStrictEqual(item, { step: 10, file: { artifact: "a/media" } });
  const record = await slugOf(run);
  const directory = await mkdtemp(join(tmpdir(), "lossless-media-"));
  after(() => rm(directory, { recursive: true }));
  await printed(record, "cats", "--out", directory);
  const names = (await readdir(directory)).sort();
  assert.deepEqual(names, ["0-cats%step%0%timestamp%1%g0.png", "5-cats%step%5%timestamp%1%g5.png"]);
  assert.equal(await readFile(join(directory, names[1]), "utf8"), "picture 5");
});

test("what is asked wrongly is refused with a sentence", async () => {
  const wrong: [string[], number, RegExp][] = [
    [[], 2, /an experiment by its slug/],
    [[slug, "samples"], 2, /give --kind image or table/],
    [[slug, "nothing"], 1, /logged nothing as nothing/],
    [[slug, "phase", "--step", "x"], 2, /--step must be/],
  ];
  for (const [words, expected, sentence] of wrong) {
    const { code, stderr } = await finished(start(service.baseUrl, ["media", ...words]));
    assert.equal(code, expected, stderr);
    assert.match(stderr, sentence);
  }
});

async function printed(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await finished(start(service.baseUrl, ["media", ...words]));
  assert.equal(code, 0, stderr);
  return stdout;
}

async function slugOf(experimentId: string): Promise<string> {
  const caller = new OrganizationCaller(targetOf(service), organizations.acme.key);
  return String((await caller.record(experimentId)).slug);
}
