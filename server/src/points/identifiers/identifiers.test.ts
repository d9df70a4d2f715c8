import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { payloadFingerprint } from "../fingerprint.ts";
import { LogRecordBuilder, decodeLogRecord, type LogRecord } from "../log-record.ts";
import { bytesPerPoint, counterFlag, pointColumns } from "../point-batch.ts";
import { buildIdentifierRun } from "./build-run.ts";
import { counterHigh, counterLow, counterStart, counterValue } from "./counter.ts";
import { IdentifierHasher } from "./hash.ts";
import { mergeIdentifierRuns } from "./merge-runs.ts";
import { RecentIdentifiers, counterKeyMark } from "./recent.ts";
import { IdentifierRun } from "./run.ts";
import { splitIdentifiers } from "./split.ts";
import { randomNumbers } from "../../ground/random.fixture.ts";

/**
 * The pieces together, as the engine uses them, against a plain Map: identifiers of every form are
 * asked for and added, go through log records into runs, and runs are merged, over and over.
 */
const operations = Number(process.env["LOSSLESS_IDENTIFIER_OPERATIONS"] ?? 500_000);
const seed = Number(process.env["LOSSLESS_IDENTIFIER_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

test(`recent identifiers, runs and mergers answer like a Map (seed ${seed}, ${operations})`, async () => {
  using identifiers = new Identifiers();
  const random = randomNumbers(seed);
  const model = new Map<number, number>();
  let [asked, frontier, inIntervals] = [0, 1, 0];
  while (asked < operations) {
    for (let i = 0; i < operationsPerGroup; i++, asked++) {
      // Mostly repeats; new ones nearly in order, and a few far ahead, which break intervals up.
      const kind = random(500);
      let number = frontier + random(universe);
      if (kind < 350) number = random(frontier + 50);
      else if (kind < 499) number = frontier++ ^ 1;
      const known = model.get(number);
      const found = identifiers.find(idOf(number));
      if (known === undefined) {
        if (found !== undefined) assert.fail(`${idOf(number)} was found and never added`);
        model.set(number, identifiers.add(idOf(number), number));
      } else if (found === "in an interval") inIntervals++;
      else if (found !== known && found !== known >>> 8) {
        assert.fail(`${idOf(number)} has fingerprint ${known}, found ${found}`);
      }
    }
    identifiers.commit();
    if (random(15) === 0) identifiers.seal();
    if (identifiers.runs.length >= 5) await identifiers.merge(random(3), 2 + random(3));
  }
  assert.ok(identifiers.seals > 10 && identifiers.merges > 3 && model.size > operations / 4);
  assert.ok(inIntervals > operations / 100, `${inIntervals} answers from intervals`);
  identifiers.seal();
  let stored = 0;
  for (const run of identifiers.runs) {
    run.verify();
    stored += run.hashedCount;
    for (const { count } of run.intervals.values()) stored += count;
  }
  assert.equal(stored, model.size);
});

const universe = 400_000;
const operationsPerGroup = 1000;

/**
 * A third are counters in long runs, a third strings without a counter, the rest counters of thin
 * prefixes.
 */
function idOf(number: number): string {
  if (number % 3 === 0) return `recorder-${number % 2}-${(number / 6) | 0}`;
  if (number % 3 === 1) return `point ${(number * 2654435761) % 2 ** 32} of läufer`;
  return `${number % 1000}-${number * 1_000_003}`;
}

class Identifiers implements Disposable {
  runs: IdentifierRun[] = [];
  seals = 0;
  merges = 0;
  readonly #directory = mkdtempSync(join(tmpdir(), "lossless-identifiers-"));
  readonly #hasher = new IdentifierHasher(Uint32Array.of(5, 6, 7, 8));
  readonly #prefixNumbers = new Map<string, number>();
  readonly #key = new Uint32Array(4);
  #recent = new RecentIdentifiers();
  #group: { id: string; step: number }[] = [];
  #log: LogRecord[] = [];
  #files = 0;

  find(id: string): number | "in an interval" | undefined {
    const start = this.#setKey(id);
    const [a, b, c, d] = this.#key;
    const recent = this.#recent.find(a, b, c, d);
    if (recent >= 0) return recent;
    if (start >= 0) {
      const [prefix, counter] = [id.slice(0, start - 1), counterValue(id, start)];
      if (this.runs.some(({ intervals }) => intervals.get(prefix)?.has(counter))) {
        return "in an interval";
      }
      this.#hasher.hash(id, this.#key, 0);
    }
    for (const run of this.runs) {
      const found = run.find(this.#key[0], this.#key[1], this.#key[2]);
      if (found >= 0) return found;
    }
    return undefined;
  }

  add(id: string, step: number): number {
    this.#setKey(id);
    const fingerprint = payloadFingerprint(0, step, 0, 0);
    this.#recent.add(this.#key[0], this.#key[1], this.#key[2], this.#key[3], fingerprint);
    this.#group.push({ id, step });
    return fingerprint;
  }

  commit(): void {
    const count = this.#group.length;
    const buffer = new ArrayBuffer(count * bytesPerPoint);
    const columns = pointColumns(buffer, count);
    const prefixes = new Map<string, number>();
    for (const [i, { id, step }] of this.#group.entries()) {
      columns.step[i] = step;
      const start = counterStart(id);
      if (start < 0) {
        this.#hasher.hash(id, columns.identifier, 4 * i);
        continue;
      }
      const prefix = id.slice(0, start - 1);
      const counter = counterValue(id, start);
      const number = prefixes.getOrInsert(prefix, prefixes.size);
      columns.identifier.set([number, 0, counterHigh(counter), counterLow(counter)], 4 * i);
      columns.partition[i] = counterFlag;
    }
    const builder = new LogRecordBuilder();
    const batch = {
      count,
      columns: buffer,
      partitions: ["loss\n{}"],
      prefixes: [...prefixes.keys()],
    };
    builder.append(batch, Uint32Array.of(0), undefined);
    this.#log.push(decodeLogRecord(builder.finish()));
    this.#group = [];
  }

  seal(): void {
    this.runs.push(this.#open(buildIdentifierRun(splitIdentifiers(this.#log, this.#hasher))));
    this.#log = [];
    this.#recent = new RecentIdentifiers();
    this.seals++;
  }

  async merge(first: number, count: number): Promise<void> {
    const merged = this.runs.slice(first, first + count);
    this.runs.splice(first, merged.length, this.#open(await mergeIdentifierRuns(merged)));
    for (const run of merged) run.close();
    this.merges++;
  }

  [Symbol.dispose](): void {
    for (const run of this.runs) run.close();
    rmSync(this.#directory, { recursive: true });
  }

  /** Returns where the counter starts, or -1. */
  #setKey(id: string): number {
    const start = counterStart(id);
    if (start < 0) this.#hasher.hash(id, this.#key, 0);
    else {
      const number = this.#prefixNumbers.getOrInsert(
        id.slice(0, start - 1),
        this.#prefixNumbers.size,
      );
      const counter = counterValue(id, start);
      this.#key.set([number, counterKeyMark, counterHigh(counter), counterLow(counter)]);
    }
    return start;
  }

  #open(parts: readonly Uint8Array[]): IdentifierRun {
    const path = join(this.#directory, `${this.#files++}.identifiers`);
    writeFileSync(path, Buffer.concat(parts));
    return IdentifierRun.open(path);
  }
}
