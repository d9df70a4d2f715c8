import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import {
  ArtifactCaller,
  fetchBytes,
  type Files,
  sendParts,
} from "../../contract/artifact-caller.ts";
import { uniqueName } from "../../contract/callers.ts";
import { topic } from "../../contract/topic.ts";
import { MovableClock } from "../../movable-clock.ts";
import { organizations } from "../../service.ts";
import { suiteDirectory } from "../../suite-service.ts";
import { finished, start } from "../command-line.ts";

const files: Files = { "a.bin": Buffer.from("first file"), "b.bin": Buffer.from("second") };
const minuteMs = 60_000;
const scratch = suiteDirectory("gc");
const clock = new MovableClock(scratch);

interface Answer {
  removals: { upload: string; state: string }[];
  objects: unknown[];
  problems: unknown[];
  versions: number;
  files?: number;
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
        ...clock.command,
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
    clock.aheadMs = 11 * minuteMs;
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
    assert.ok(files["a.bin"].equals(await fetchBytes(record.files[0].url)));
    clock.aheadMs = 0;
  });

  test("the service's file of options is enough to look at what the service has", async () => {
    const { service, backend } = system;
    const acme = new ArtifactCaller(system, organizations.acme.key);
    const artifact = uniqueName("by-file");
    await acme.write(artifact, "1", (await acme.open(artifact)).epoch, files);
    const file = join(scratch, `${backend}.json`);
    const place =
      backend === "sqlite"
        ? { data: service.dataDirectory }
        : { data: join(scratch, "none"), "database-url": service.options.databaseUrl! };
    const options = {
      ...place,
      artifacts: join(service.dataDirectory, "artifacts"),
      "master-key-file": join(service.dataDirectory, "master.key"),
    };
    writeFileSync(file, JSON.stringify(options));
    for (const [words, variables] of [
      [["gc", "--dry-run", "--config", file], {}],
      [["gc", "--dry-run"], { LOSSLESS_CONFIG: file }],
      [["verify", "--config", file], {}],
    ] as const) {
      const run = start(system.baseUrl, [...words, "--json"], variables);
      const { code, stdout, stderr } = await finished(run);
      assert.equal(code, 0, `${stdout}${stderr}`);
      const { problems, files: checked } = JSON.parse(stdout) as Answer;
      assert.deepEqual(problems, []);
      if (words[0] === "verify") assert.ok(checked! >= 2);
    }
    const nowhere = JSON.stringify({ ...options, artifacts: join(scratch, "elsewhere") });
    writeFileSync(file, nowhere);
    const looked = await finished(start(system.baseUrl, ["gc", "--config", file], {}));
    assert.equal(looked.code, 1, "the file of options is not used");
    const unknown = JSON.stringify({ ...options, artifact: "x" });
    writeFileSync(file, unknown);
    const refused = await finished(start(system.baseUrl, ["verify", "--config", file], {}));
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /there is no option "artifact"/);
  });
});
