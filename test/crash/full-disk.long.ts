/**
 * `npm run test:long`: a disk that is really full, with no reserve kept of it. It takes root, which
 * mounts a small one.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ArtifactCaller, fetchBytes, sendPart } from "../contract/artifact-caller.ts";
import { type ExperimentCaller, OrganizationCaller, targetOf } from "../contract/callers.ts";
import { Writer } from "../contract/writer.ts";
import { organizations, Service } from "../service.ts";
import { runVerify } from "./verify-command.ts";

const mebibyte = 1024 * 1024;
const batch = 500;
/** Far more than what is left of the disk takes. */
const pointsMax = 1_000_000;

suite("a disk that is full", () => {
  const disk = mkdtempSync(join(tmpdir(), "lossless-full-disk-"));
  const ballast = join(disk, "ballast");
  const { key } = organizations.acme;
  let service: Service;

  before(async () => {
    assert.equal(process.getuid?.(), 0, "the small disk is mounted by root");
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", disk]);
    // The last points are sealed when the disk is full already.
    const sealing = ["--seal-points", String(pointsMax), "--seal-idle-ms", "2000"];
    const flags = ["--disk-reserve-bytes", "0", ...sealing];
    service = await Service.start({ directory: disk, flags });
  });
  after(async () => {
    await service?.[Symbol.asyncDispose]();
    execFileSync("umount", ["--lazy", disk]);
    rmSync(disk, { recursive: true });
  });

  test("what does not fit is refused, what was acknowledged stays, and with room it all goes on", async () => {
    const acme = new OrganizationCaller(targetOf(service), key);
    const experiment = await acme.open("recorded on");
    const writer = await Writer.open(new ArtifactCaller(targetOf(service), key));
    const files = { "model.bin": Buffer.alloc(6 * mebibyte, "weights") };
    const begun = await writer.begin("v1", files);
    fill(4 * mebibyte);
    const refused = await sendPart(begun.files[0].parts[0], files["model.bin"]);
    assert.equal(refused.status, 507, refused.text);
    const first = await recordUntilFull(experiment, 0);
    fill(0);
    assert.equal((await acme.series(experiment.experimentId)).done.points, first);
    await untilNothingIsSealed(experiment, first);

    rmSync(ballast);
    await experiment.send(...pointsOf(experiment, first));
    fill(4 * mebibyte);
    const acknowledged = await recordUntilFull(experiment, first + batch);
    fill(0);
    // A process that begins on the full disk reads, too.
    await service.kill();
    await service.start();
    const again = new OrganizationCaller(targetOf(service), key);
    assert.equal((await again.series(experiment.experimentId)).done.points, acknowledged);

    rmSync(ballast);
    const goesOn = await again.open("recorded on");
    await goesOn.send(...pointsOf(goesOn, acknowledged));
    const { partitions } = await again.series(experiment.experimentId);
    const steps = Array.from({ length: acknowledged + batch }, (_, step) => step);
    assert.deepEqual(partitions[0].step, steps);
    const caller = new ArtifactCaller(targetOf(service), key);
    await (await Writer.open(caller, writer.artifact)).write("v1", files);
    const { files: read } = await caller.read(writer.artifact, "v1", { urls: "1" });
    assert.ok((await fetchBytes(read[0].url)).equals(files["model.bin"]));
    assert.equal(await service.stop(), 0, service.errors);
    const { code, output } = await runVerify(service);
    assert.equal(code, 0, output);
  });

  /** Leaves so many bytes of the disk. */
  function fill(left: number): void {
    const { bavail, bsize } = statfsSync(disk);
    const size = bavail * bsize - left;
    if (size > 0) writeFileSync(ballast, Buffer.alloc(size), { flag: "a" });
  }

  /** How many points are acknowledged then. */
  async function recordUntilFull(experiment: ExperimentCaller, from: number): Promise<number> {
    for (let next = from; next < pointsMax; next += batch) {
      const { status, text } = await experiment.post(pointsOf(experiment, next));
      if (status === 200) continue;
      assert.equal(status, 507, text);
      assert.match(text, /storage_full/);
      return next;
    }
    throw new Error("the disk never became full");
  }

  /** The background has found the disk full, too, and the service lives. */
  async function untilNothingIsSealed(experiment: ExperimentCaller, next: number): Promise<void> {
    while (!/cannot be stored: ENOSPC/.test(service.errors)) {
      const { status, text } = await experiment.post(pointsOf(experiment, next));
      assert.equal(status, 507, text);
      await sleep(100);
    }
  }
});

function pointsOf(experiment: ExperimentCaller, from: number) {
  return Array.from({ length: batch }, (_, at) =>
    experiment.metric({ step: from + at, metricValue: (from + at) / 7 }, `m-${from + at}`),
  );
}
