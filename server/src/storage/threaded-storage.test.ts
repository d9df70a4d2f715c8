import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { openSqlite } from "../database/sqlite.ts";
import { partitionKey, pointColumns, type PointBatch } from "../points/point-batch.ts";
import { openStorage, type OpenStorage } from "./threaded-storage.ts";
import type { ReaderCalls, ThreadSettings } from "./calls.ts";
import { StorageThread, StorageThreads } from "./threads.ts";

test("an experiment with a damaged log is refused, and harms no other in its group", async () => {
  await using data = await directory();
  let experiments: string[];
  {
    await using storage = await open(data.path);
    experiments = [
      await openExperiment(storage, "damaged"),
      await openExperiment(storage, "sound"),
    ];
    for (const id of experiments) assert.equal(await stored(storage, id, 1), 0);
  }
  await damageLog(data.path, experiments[0]);
  const warnings: string[] = [];
  await using storage = await open(data.path, warnings);
  const [damaged, sound] = await Promise.all(
    experiments.map((experimentId) =>
      storage.write([{ kind: "metrics", experimentId, points: point(2) }]),
    ),
  );
  assert.partialDeepStrictEqual(damaged, [{ kind: "error", code: "data_corrupted" }]);
  assert.deepEqual(sound, [{ kind: "metrics", results: new Uint8Array([0]) }]);
  assert.match(warnings.join(), /cannot be read/);
});

test("sealed points beside no database are no new start", async () => {
  await using data = await directory();
  await (await open(data.path))[Symbol.asyncDispose]();
  await (await open(data.path))[Symbol.asyncDispose]();
  await mkdir(join(data.path, "segments", "01a"), { recursive: true });
  for (const leave of ["nothing", "an empty file"]) {
    await rm(join(data.path, "lossless.db"), { force: true });
    if (leave === "an empty file") await writeFile(join(data.path, "lossless.db"), "");
    await assert.rejects(open(data.path), { name: "DatabaseError", kind: "corrupt" });
    await assert.rejects(open(data.path), /missing or empty/);
  }
  await rm(join(data.path, "segments"), { recursive: true });
  await (await open(data.path))[Symbol.asyncDispose]();
});

test("whoever asks after the end gets an answer", async () => {
  await using data = await directory();
  const storage = await open(data.path);
  await storage[Symbol.asyncDispose]();
  await assert.rejects(storage.read("organization.list", undefined), {
    code: "storage_unavailable",
  });
  await assert.rejects(storage.write([]), { code: "storage_unavailable" });
  await assert.rejects(storage.statistics(), { code: "storage_unavailable" });
});

test("a read of the state holds what was handed over before, answered or not", async () => {
  await using data = await directory();
  await using storage = await open(data.path);
  const experimentId = await openExperiment(storage, "lost-replies");
  const [{ id: organizationId }] = await storage.read("organization.list", undefined);
  const annotate = { experimentId, annotation: "a", meta: "{}" };
  const input = { organizationId, experimentId, data: annotate };
  const count = 20;
  let answered = 0;
  const writes = Array.from({ length: count }, () => {
    const write = { kind: "call", name: "experiment.annotate", input } as const;
    return storage.write([write]).then(() => (answered += 1));
  });
  const bytes = { max: 1e6, left: 1e6 };
  const record = { organizationId, data: { experimentId } };
  const listed = await storage.readReply("query.annotations", record, bytes);
  const { annotations } = JSON.parse(Buffer.concat(listed).toString()) as { annotations: [] };
  assert.equal(annotations.length, count);
  await Promise.all(writes);
  assert.equal(answered, count);
  // Nor does a write that fails hold a read for ever.
  const name = "experiment.move";
  const move = { organizationId, data: { experimentId, folderId: "absent" } };
  const refused = storage.write([{ kind: "call", name, input: move }]);
  const found = await storage.readReply("query.experiment", record, bytes);
  assert.partialDeepStrictEqual(JSON.parse(Buffer.concat(found).toString()), { experimentId });
  assert.partialDeepStrictEqual(await refused, [{ kind: "error", code: "folder_not_found" }]);
});

test("lineage from before is looked through after the start, also after a second one", async () => {
  await using data = await directory();
  const meta = JSON.stringify({ kind: "artifact-used", artifact: "data", version: "1" });
  let experimentId: string;
  {
    await using storage = await open(data.path);
    experimentId = await openExperiment(storage, "reader");
    const [{ id: organizationId }] = await storage.read("organization.list", undefined);
    const told = { experimentId, annotation: "used", meta };
    const input = { organizationId, experimentId, data: told };
    await storage.write([{ kind: "call", name: "experiment.annotate", input }]);
  }
  {
    // As the migration leaves it.
    await using database = openSqlite({ directory: data.path });
    await database.write(async (transaction) => {
      await transaction.run("DELETE FROM lineage");
      await transaction.run("UPDATE summarized SET uses = 0");
      const cursors = "('unindexed_annotations', ''), ('unindexed_versions', '')";
      await transaction.run(`INSERT INTO installation (name, value) VALUES ${cursors}`);
    });
  }
  await (await open(data.path))[Symbol.asyncDispose]();
  await using storage = await open(data.path);
  const [{ id: organizationId }] = await storage.read("organization.list", undefined);
  const read = () => storage.read("lineage.run", { organizationId, experimentId });
  for (let times = 0; (await read()).isBehind && times < 600; times++) await setTimeout(50);
  const { inputs, isBehind } = await read();
  assert.deepEqual([inputs.map(({ node }) => node.version), isBehind], [["1"], false]);
});

test("readers that share the work see each what was acknowledged", async () => {
  await using data = await directory();
  await using storage = await open(data.path, [], 3);
  const experimentId = await openExperiment(storage, "shared");
  const [{ id: organizationId }] = await storage.read("organization.list", undefined);
  const catalog = { organizationId, data: { experimentId } };
  const revisions = { organizationId, data: { experimentIds: [experimentId] } };
  const bytes = { max: 1e6, left: 1e6 };
  const seen: unknown[] = [];
  for (let number = 1; number <= 4; number++) {
    assert.equal(await stored(storage, experimentId, number), 0);
    const replies = await Promise.all([
      storage.readReply("query.catalog", catalog, bytes),
      storage.readReply("query.revisions", revisions, bytes),
    ]);
    const [series, counts] = replies.map((pieces) => Buffer.concat(pieces).toString());
    seen.push([series.includes('"loss"'), counts.includes(`"revision":${number}}]`)]);
  }
  assert.deepEqual(seen, Array(4).fill([true, true]));
  const figures = await storage.statistics();
  assert.equal(figures.reader_reads, 1 + 1 + 2 * 4);
});

test("a thread that cannot end its work in order is told", async () => {
  const source = `
    import { parentPort } from "node:worker_threads";
    import { ThreadCalls } from ${JSON.stringify(import.meta.resolve("./thread-calls.ts"))};
    const main = new ThreadCalls(parentPort);
    main.serve({
      open: () => undefined,
      close() { throw new Error("the database stays open"); },
    });`;
  const file = `data:text/javascript,${encodeURIComponent(source)}`;
  const thread = new StorageThread<ReaderCalls>(file);
  const told: string[] = [];
  const warning = (message: string, error?: Error) => told.push(`${message} ${error?.message}`);
  const events = { fatal: (error: Error) => assert.fail(error), warning };
  await thread.open({ settings: settingsOf(tmpdir()), readers: 1, isFirst: true }, events);
  await thread.close();
  assert.deepEqual(told, [
    "A storage thread did not end its work in order. the database stays open",
  ]);
});

async function directory(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "lossless-storage-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

function open(
  dataDirectory: string,
  warnings: string[] = [],
  readers?: number,
): Promise<OpenStorage> {
  const events = {
    fatal: (error: Error) => assert.fail(error),
    warning: (message: string) => warnings.push(message),
  };
  return openStorage(settingsOf(dataDirectory), events, new StorageThreads(readers));
}

function settingsOf(dataDirectory: string): ThreadSettings {
  return {
    dataDirectory,
    databaseUrl: undefined,
    cacheDirectory: join(dataDirectory, "cache"),
    seriesPerExperiment: 0,
    diskReserveBytes: 0,
    sealPoints: 1_000_000,
    sealIdleMs: 1_000_000,
    trashDays: 30,
  };
}

async function openExperiment(storage: OpenStorage, slug: string): Promise<string> {
  await storage.write([{ kind: "call", name: "organization.bootstrap", input: {} }]);
  const [organization] = await storage.read("organization.list", undefined);
  const data = { slug, description: "", meta: "{}" };
  const organizationId = organization.id;
  const [outcome] = await storage.write([
    { kind: "call", name: "experiment.open", input: { organizationId, data } },
  ]);
  return ((outcome as { value: unknown }).value as { experimentId: string }).experimentId;
}

/** The PointResult of one point. */
async function stored(storage: OpenStorage, experimentId: string, number: number): Promise<number> {
  const [outcome] = await storage.write([{ kind: "metrics", experimentId, points: point(number) }]);
  return (outcome as { results: Uint8Array }).results[0];
}

function point(number: number): PointBatch {
  const columns = new ArrayBuffer(44);
  const { step, identifier } = pointColumns(columns, 1);
  step[0] = number;
  identifier.fill(number);
  return { count: 1, columns, partitions: [partitionKey("loss", "{}")], prefixes: [] };
}

async function damageLog(directory: string, experimentId: string): Promise<void> {
  await using database = openSqlite({ directory });
  await database.write(async (transaction) => {
    const row = await transaction.get<{ record: Uint8Array }>(
      "SELECT record FROM log WHERE experiment = $1",
      experimentId,
    );
    const record = row!.record.slice();
    record[record.length - 10] ^= 1;
    await transaction.run("UPDATE log SET record = $2 WHERE experiment = $1", experimentId, record);
  });
}
