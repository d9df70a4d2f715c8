import assert from "node:assert/strict";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DoubledIdentifiers } from "./doubled-identifiers.ts";
import { buildIdentifierRun } from "./identifiers/build-run.ts";
import { IdentifierHasher } from "./identifiers/hash.ts";
import { Intervals } from "./identifiers/intervals.ts";
import { IdentifierRun } from "./identifiers/run.ts";
import { decodeLogRecord, LogRecordBuilder, type LogRecord } from "./log-record.ts";
import { counterFlag, partitionKey, pointColumns } from "./point-batch.ts";

const hasher = new IdentifierHasher(new Uint32Array([1, 2, 3, 4]));

test("an identifier in two runs, in a run and the log, or twice in the log is found, in both forms", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "lossless-doubled-"));
  const first = await runOf(directory.path, "first", ["a", "b", "thin-7"], [0, 99]);
  const second = await runOf(directory.path, "second", ["b", "c"], [100, 120]);
  const third = await runOf(directory.path, "third", ["d"], [90, 95]);
  const doubled = new DoubledIdentifiers(hasher);
  assert.deepEqual(
    [first, second, third].map((run) => doubled.inRun(run)),
    [0, 1, 6],
  );
  assert.equal(doubled.inRecord(record(["e", "c"], [])), 1);
  assert.equal(
    doubled.inRecord(
      record(
        [],
        [
          ["run", 110],
          ["run", 200],
          ["thin", 7],
        ],
      ),
    ),
    2,
  );
  assert.equal(
    doubled.inRecord(
      record(
        ["e"],
        [
          ["run", 200],
          ["run", 201],
        ],
      ),
    ),
    2,
  );
  for (const run of [first, second, third]) run.close();
});

async function runOf(
  directory: string,
  name: string,
  ids: string[],
  [from, to]: [number, number],
): Promise<IdentifierRun> {
  const hashes = new Uint32Array(3 * ids.length);
  const hash = new Uint32Array(4);
  for (const [index, id] of ids.entries()) {
    hasher.hash(id, hash, 0);
    hashes.set(hash.subarray(0, 3), 3 * index);
  }
  const ranges = new Intervals();
  ranges.addRange(from, to);
  const fingerprints = new Uint32Array(ids.length);
  const parts = buildIdentifierRun({ hashes, fingerprints, intervals: new Map([["run", ranges]]) });
  const path = join(directory, name);
  await writeFile(path, Buffer.concat(parts));
  return IdentifierRun.open(path);
}

function record(hashed: string[], counters: [prefix: string, counter: number][]): LogRecord {
  const count = hashed.length + counters.length;
  const columns = new ArrayBuffer(44 * count);
  const views = pointColumns(columns, count);
  const prefixes = [...new Set(counters.map(([prefix]) => prefix))];
  for (const [row, id] of hashed.entries()) hasher.hash(id, views.identifier, 4 * row);
  for (const [index, [prefix, counter]] of counters.entries()) {
    const row = hashed.length + index;
    views.partition[row] = counterFlag;
    views.identifier.set([prefixes.indexOf(prefix), 0, 0, counter], 4 * row);
  }
  const builder = new LogRecordBuilder();
  const batch = { count, columns, partitions: [partitionKey("loss", "{}")], prefixes };
  builder.append(batch, new Uint32Array([0]), undefined);
  return decodeLogRecord(builder.finish());
}
