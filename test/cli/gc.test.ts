import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ArtifactCaller, fetchBytes, sendParts } from "../contract/artifact-caller.ts";
import type { Files } from "../contract/artifact-caller.ts";
import { uniqueName } from "../contract/callers.ts";
import { topic } from "../contract/topic.ts";
import { checkoutRoot, organizations } from "../service.ts";
import { finished, start } from "./command-line.ts";

const files: Files = { "a.bin": Buffer.from("first file"), "b.bin": Buffer.from("second") };
const minuteMs = 60_000;
const scratch = mkdtempSync(join(tmpdir(), "lossless-gc-"));
const clockFile = join(scratch, "clock");
writeFileSync(clockFile, "0");
after(() => rmSync(scratch, { recursive: true }));

interface Answer {
  removals: { upload: string; state: string }[];
  objects: unknown[];
  problems: unknown[];
  versions: number;
}

topic("gc and verify beside a service", (system) => {
  test("what a takeover left is shown by gc and removed, versions stay, verify finds all sound", async () => {
    const { service, backend } = system;
    const acme = new ArtifactCaller(system, organizations.acme.key);
    const artifact = uniqueName("built-in");
    const { epoch } = await acme.open(artifact);
    await acme.write(artifact, "1", epoch, files);
    const taken = uniqueName("taken-over");
    const lost = await acme.begin(taken, "1", (await acme.open(taken)).epoch, files);
    await sendParts(lost, files);
    await acme.open(taken);
    const where =
      backend === "sqlite"
        ? ["--data", service.dataDirectory]
        : ["--database-url", service.options.databaseUrl!];
    const lossless = async (...words: string[]) => {
      const further = {
        NODE_OPTIONS: `--import ${join(checkoutRoot, "test/shifted-clock.ts")}`,
        LOSSLESS_TEST_CLOCK: clockFile,
        LOSSLESS_ARTIFACTS: join(service.dataDirectory, "artifacts"),
      };
      const key = join(service.dataDirectory, "master.key");
      const flags = words[0] === "gc" ? ["--master-key-file", key] : [];
      const all = [...words, ...where, ...flags, "--json"];
      const { code, stdout, stderr } = await finished(start(system.baseUrl, all, further));
      assert.equal(code, 0, `${stdout}${stderr}`);
      return JSON.parse(stdout) as Answer;
    };
    const stateOf = ({ removals }: Answer) =>
      removals.find(({ upload }) => upload === lost.upload)?.state;
    assert.equal(stateOf(await lossless("gc", "--dry-run")), "waiting");
    writeFileSync(clockFile, `${11 * minuteMs}`);
    assert.equal(stateOf(await lossless("gc", "--dry-run")), "to be removed");
    const names = () => readdir(join(service.dataDirectory, "artifacts"), { recursive: true });
    assert.ok((await names()).some((name) => name.includes(lost.upload)));
    const removed = await lossless("gc");
    assert.equal(stateOf(removed), "removed");
    assert.deepEqual(removed.objects, []);
    assert.ok(!(await names()).some((name) => name.includes(lost.upload)));
    assert.equal(stateOf(await lossless("gc")), undefined);
    const { problems, versions } = await lossless("verify");
    assert.deepEqual(problems, []);
    assert.ok(versions > 0);
    const record = await acme.read(artifact, "1", { urls: "1" });
    assert.ok(files["a.bin"]!.equals(await fetchBytes(record.files[0]!.url)));
    writeFileSync(clockFile, "0");
  });
});
