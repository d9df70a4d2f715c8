import assert from "node:assert/strict";
import { test } from "node:test";
import { beginUpload } from "../../artifacts/rows/begin.ts";
import { commitUpload } from "../../artifacts/rows/commit.ts";
import { writeNote } from "../../artifacts/rows/note.ts";
import {
  dueRemovals,
  expireUploads,
  forgetUploads,
  removalDone,
} from "../../artifacts/rows/removal.ts";
import { TestArtifacts } from "../../artifacts/rows/artifacts.fixture.ts";
import { migrate, newestFormat } from "../migrate.ts";
import { onEachDatabase } from "../databases.fixture.ts";
import { TestNode } from "../node.fixture.ts";
import { ServiceError } from "../../ground/errors.ts";
import { annotateExperiment } from "../../experiments/annotate.ts";
import { failExperiment } from "../../experiments/error.ts";
import { openExperiment } from "../../experiments/open.ts";
import { replaceSegments, sealLog, trimLog } from "../../points/manifest.ts";
import { changeQuota, listQuotas } from "./quota.ts";
import { wrongRecorded } from "./recorded-points.ts";
import { wrongCounters } from "./recount.ts";

const seed = Number(process.env["LOSSLESS_QUOTA_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const steps = Number(process.env["LOSSLESS_QUOTA_STEPS"] ?? 250);

onEachDatabase((fresh) => {
  const node = fresh.node();

  test(`after any history the counters are what a recount finds (seed ${seed})`, async () => {
    const history = await History.begin(node, seed);
    for (let step = 0; step < steps; step++) await history.step();
    assert.deepEqual(await node.read(wrongCounters, undefined), []);
    assert.deepEqual(await node.read(wrongRecorded, undefined), []);
    assert.ok(history.refused > 0 && history.done > steps / 2, "some are refused, most are not");
  });

  test("a counter that is wrong is found", async () => {
    const organizationId = await node.newOrganization();
    const data = { slug: "s", description: "three", meta: "{}" };
    await node.write(openExperiment, { organizationId, data });
    await node.execute(
      "UPDATE stored_amount SET bytes = bytes + 1, experiments = 0 WHERE organization = $1",
      organizationId,
    );
    const [wrong, ...more] = await node.read(wrongCounters, undefined);
    assert.equal(wrong?.organization, organizationId);
    assert.equal(wrong.counted.bytes, wrong.found.bytes + 1);
    assert.deepEqual([wrong.counted.experiments, wrong.found.experiments], [0, 1]);
    assert.deepEqual(more, []);
    await node.execute(
      "UPDATE stored_amount SET bytes = bytes - 1, experiments = 1 WHERE organization = $1",
      organizationId,
    );
  });

  test("data from before the counters is counted when it is opened", async () => {
    const before = await node.read(listQuotas, {});
    const older = new TestNode(await fresh.inFormat(6, node.database));
    assert.equal(await migrate(older.database), 6);
    assert.deepEqual(await older.read(wrongCounters, undefined), []);
    assert.deepEqual(await older.read(wrongRecorded, undefined), []);
    const used = (all: typeof before) => all.map(({ id, used: amounts }) => [id, amounts]);
    assert.deepEqual(used(await older.read(listQuotas, {})), used(before));
    const [row] = await older.all<{ value: string }>(
      "SELECT value FROM installation WHERE name = 'format'",
    );
    assert.equal(row?.value, String(newestFormat));
  });
});

/** Runs all operations that store or free in random order, at a quota that refuses at times. */
class History {
  refused = 0;
  done = 0;
  readonly #node: TestNode;
  readonly #artifacts: TestArtifacts;
  readonly #random: (below: number) => number;
  readonly #epochs = new Map<string, number>();
  readonly #uploads: { artifact: string; uploadId: string }[] = [];
  #version = 0;

  private constructor(node: TestNode, artifacts: TestArtifacts, start: number) {
    this.#node = node;
    this.#artifacts = artifacts;
    let state = start;
    this.#random = (below) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
      return (state >>> 8) % below;
    };
  }

  static async begin(node: TestNode, start: number): Promise<History> {
    const artifacts = await TestArtifacts.open(node);
    await node.execute(
      "UPDATE location SET driver = 'built-in', endpoint = '' WHERE id = $1",
      artifacts.locationId,
    );
    const limit = { bytes: 60_000, experiments: 6, uploads: 5 };
    await node.database.write((transaction) =>
      changeQuota(transaction, artifacts.organizationId, limit),
    );
    return new History(node, artifacts, start);
  }

  async step(): Promise<void> {
    const kinds = [
      () => this.#open(),
      () => this.#annotate(),
      () => this.#fail(),
      () => this.#seal(),
      () => this.#note(),
      () => this.#openArtifact(),
      () => this.#begin(),
      () => this.#commit(),
      () => this.#sweep(),
    ];
    try {
      await kinds[this.#random(kinds.length)]();
      this.done++;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code === "limit_exceeded") this.refused++;
    }
  }

  get #organizationId(): string {
    return this.#artifacts.organizationId;
  }

  #text(): string {
    return "ä".repeat(this.#random(900));
  }

  async #open(): Promise<void> {
    const slug = `slug-${this.#random(9)}`;
    const data = { slug, description: this.#text(), meta: JSON.stringify({ note: this.#text() }) };
    await this.#node.write(openExperiment, { organizationId: this.#organizationId, data });
  }

  async #experiment(): Promise<string | undefined> {
    const rows = await this.#node.all<{ id: string }>(
      "SELECT id FROM experiment WHERE organization = $1 ORDER BY id",
      this.#organizationId,
    );
    return rows[this.#random(Math.max(1, rows.length))]?.id;
  }

  async #annotate(): Promise<void> {
    const experimentId = await this.#experiment();
    if (experimentId === undefined) return;
    const data = {
      experimentId,
      annotation: `a${this.#text()}`,
      meta: JSON.stringify({ ä: this.#text() }),
    };
    const organizationId = this.#organizationId;
    await this.#node.write(annotateExperiment, { organizationId, experimentId, data });
  }

  async #fail(): Promise<void> {
    const experimentId = await this.#experiment();
    if (experimentId === undefined) return;
    const data = { experimentId, error: `e${this.#text()}`, meta: "{}" };
    const organizationId = this.#organizationId;
    await this.#node.write(failExperiment, { organizationId, experimentId, data });
  }

  /** A log of a few rows is sealed, trimmed, and its segment replaced by a smaller one. */
  async #seal(): Promise<void> {
    const experimentId = await this.#experiment();
    if (experimentId === undefined) return;
    const node = this.#node;
    const [head] = await node.all<{ log_seq: number; seal_seq: number }>(
      "SELECT log_seq, seal_seq FROM head WHERE experiment = $1",
      experimentId,
    );
    const from = head.log_seq;
    await node.counted(async (transaction, { ledger }) => {
      const record = new Uint8Array(4);
      await transaction.run(
        "INSERT INTO log (experiment, seq, points, record) VALUES ($1, $2, 3, $3)",
        experimentId,
        from + 1,
        record,
      );
      await transaction.run(
        "UPDATE head SET log_seq = $2, points = points + 3 WHERE experiment = $1",
        experimentId,
        from + 1,
      );
      ledger.notePoints(this.#organizationId, { bytes: 3 * 44, partitions: 0, points: 3 });
    });
    const segment = (bytes: number) => ({
      kind: "points" as const,
      key: crypto.randomUUID(),
      seqFrom: head.seal_seq + 1,
      seqTo: from + 1,
      points: 3,
      bytes,
    });
    const first = segment(50 + this.#random(100));
    const place = { experimentId, from: head.seal_seq, to: from + 1 };
    await node.write(sealLog, { ...place, points: 3, segments: [first] });
    if (this.#random(2) === 0) await node.write(trimLog, { experimentId, rows: 5, points: 100 });
    if (this.#random(2) === 0) {
      const segments = [segment(40)];
      await node.write(replaceSegments, { experimentId, replaced: [first.key], segments });
    }
  }

  async #note(): Promise<void> {
    const name = { organizationId: this.#organizationId, artifact: `n${this.#random(4)}` };
    const content = Buffer.alloc(this.#random(2_000));
    await this.#node.write(writeNote, { ...name, note: `note${this.#random(3)}`, content });
  }

  async #openArtifact(): Promise<void> {
    const artifact = `a${this.#random(4)}-${"x".repeat(this.#random(3))}`;
    this.#epochs.set(artifact, await this.#artifacts.openNew(artifact));
  }

  async #begin(): Promise<void> {
    const names = [...this.#epochs.keys()];
    const artifact = names[this.#random(Math.max(1, names.length))];
    if (artifact === undefined) return;
    const epoch = this.#epochs.get(artifact)!;
    const version = `v${String(++this.#version).padStart(6, "0")}`;
    const { organizationId, locationId } = this.#artifacts;
    const uploadId = `upload-${this.#version}-${crypto.randomUUID()}`;
    const file = { name: "f", size: this.#random(9_000), partSize: 8, parts: 1, key: "f" };
    const place = { cloud: "", region: "", source: "" };
    const rest = { match: null, warning: null, place, metaText: JSON.stringify(this.#text()) };
    await this.#node.write(beginUpload, {
      ...rest,
      organizationId,
      artifact,
      version,
      epoch,
      uploadId,
      locationId,
      prefix: `${organizationId}/${uploadId}/`,
      files: [file],
    });
    await this.#node.execute("UPDATE upload SET state = 'pending' WHERE id = $1", uploadId);
    this.#uploads.push({ artifact, uploadId });
  }

  async #commit(): Promise<void> {
    const one = this.#uploads.splice(this.#random(Math.max(1, this.#uploads.length)), 1)[0];
    if (one === undefined) return;
    const name = { organizationId: this.#organizationId, ...one };
    await this.#node.write(commitUpload, { ...name, committedAtMs: 1, storeVersions: [null] });
  }

  /** Advances the time: uploads expire, their leftovers are removed, and at last forgotten. */
  async #sweep(): Promise<void> {
    const node = this.#node;
    node.nowMs += this.#random(5) === 0 ? 40 * 24 * 3_600_000 : 3_600_000;
    await node.write(expireUploads, { limit: 10 });
    for (const { id } of await node.read(dueRemovals, { limit: 3, without: [] })) {
      const [row] = await node.all<{ at: number }>(
        "SELECT not_before_ms AS at FROM removal WHERE upload = $1",
        id,
      );
      await node.write(removalDone, { uploadId: id, notBeforeMs: row.at });
    }
    await node.write(forgetUploads, { limit: 10 });
  }
}
