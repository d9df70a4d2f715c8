import type { Patch } from "./patched-checkout.ts";

/** The detector that must notice a planted fault. */
export type Detector = "kill" | "power" | "bit flips" | "token test" | "attempt test";

export interface Mutant {
  name: string;
  patches: Patch[];
  detector: Detector;
}

/**
 * Faults as they could be made, planted into a copy of the source (R0): a checker that does not
 * notice them proves nothing about the product.
 */
export const mutants: Mutant[] = [
  {
    name: "acknowledged before the commit",
    detector: "kill",
    patches: [
      {
        file: "server/src/storage/group-commit.ts",
        find: "(transaction) => this.#run(transaction, group)",
        replace: `async (transaction) => {
        const answers = await this.#run(transaction, group);
        for (const [at, { resolve }] of group.entries()) resolve(answers[at].outcomes);
        await new Promise((resolve) => setTimeout(resolve, 3));
        return [];
      }`,
      },
    ],
  },
  {
    name: "recent identifiers are not looked up",
    detector: "kill",
    patches: [
      {
        file: "server/src/points/experiment-log.ts",
        find: "if (known >= 0) {",
        replace: "if (known >= 0 && results.length === 0) {",
      },
    ],
  },
  {
    name: "sealed identifiers are not looked up",
    detector: "kill",
    patches: [
      {
        file: "server/src/points/experiment-log.ts",
        find: "if (this.#sealed?.identifiers.isEmpty === false) {",
        replace: "if (this.#sealed?.identifiers.isEmpty === false && results.length === 0) {",
      },
    ],
  },
  {
    name: "the log's last record is dropped at a start",
    detector: "kill",
    patches: [
      {
        file: "server/src/storage/writer-thread.ts",
        find: "await migrate(database, { node });",
        replace: `await migrate(database, { node });
  await database.write(async (transaction) => {
    await transaction.run(\`DELETE FROM log WHERE EXISTS (SELECT 1 FROM head
      WHERE head.experiment = log.experiment AND head.log_seq = log.seq AND head.seal_seq < log.seq)\`);
    await transaction.run("UPDATE head SET log_seq = log_seq - 1 WHERE log_seq > seal_seq");
  });`,
      },
    ],
  },
  {
    name: "sealing leaves out the last log record",
    detector: "kill",
    patches: [
      {
        file: "server/src/points/seal.ts",
        find: "const parts = encodePoints(records, identifiers.prefixes)",
        replace:
          "const parts = encodePoints(records.length > 1 ? records.slice(0, -1) : records, identifiers.prefixes)",
      },
    ],
  },
  {
    name: "lines that are stored already are stored again",
    detector: "kill",
    patches: [
      {
        file: "server/src/console/append.ts",
        find: "const lines = body.lines.slice(source.lines - body.first);",
        replace: "const lines = body.lines;",
      },
    ],
  },
  {
    name: "lines are sealed in another order",
    detector: "kill",
    patches: [
      {
        file: "server/src/console/sealer.ts",
        find: "encodeObject(lines)",
        replace: "encodeObject(lines.toReversed())",
      },
    ],
  },
  {
    name: "the last lines of each console are dropped at a start",
    detector: "kill",
    patches: [
      {
        file: "server/src/storage/writer-thread.ts",
        find: "await migrate(database, { node });",
        replace: `await migrate(database, { node });
  await database.write((transaction) => transaction.run(\`DELETE FROM console_log WHERE first =
    (SELECT max(first) FROM console_log AS other WHERE other.experiment = console_log.experiment)\`));`,
      },
    ],
  },
  {
    name: "done counts one point too many",
    detector: "kill",
    patches: [
      {
        file: "server/src/experiments/series/stream.ts",
        find: "total.points += count.points;",
        replace: "total.points += count.points + 1;",
      },
    ],
  },
  {
    name: "values are kept as single floats",
    detector: "kill",
    patches: [
      {
        file: "server/src/points/log-record.ts",
        find: "target.value.set(columns.value, at);",
        replace: "target.value.set(Float32Array.from(columns.value), at);",
      },
    ],
  },
  {
    name: "a revoked token works again after a start",
    detector: "kill",
    patches: [
      {
        file: "server/src/storage/writer-thread.ts",
        find: "await migrate(database, { node });",
        replace: `await migrate(database, { node });
  await database.write((transaction) => transaction.run("UPDATE token SET revoked_at_ms = NULL"));`,
      },
    ],
  },
  {
    name: "commits are not synced",
    detector: "power",
    patches: [
      {
        file: "server/src/database/sqlite.ts",
        find: "PRAGMA synchronous = FULL",
        replace: "PRAGMA synchronous = OFF",
      },
    ],
  },
  {
    name: "commits are synced at checkpoints only",
    detector: "power",
    patches: [
      {
        file: "server/src/database/sqlite.ts",
        find: "PRAGMA synchronous = FULL",
        replace: "PRAGMA synchronous = NORMAL",
      },
    ],
  },
  {
    name: "checksums of chunks are not compared",
    detector: "bit flips",
    patches: [
      {
        file: "server/src/points/chunk.ts",
        find: "|| crc32(bytes.subarray(4, dataEnd)) !== header.getUint32(0, true)",
        replace: "",
      },
    ],
  },
  {
    name: "an old token works a minute too long",
    detector: "token test",
    patches: [
      {
        file: "server/src/experiments/token-refresh.ts",
        find: "nowMs + limits.tokenGraceMs",
        replace: "nowMs + limits.tokenGraceMs + 60_000",
      },
    ],
  },
  {
    name: "a run of which nothing is heard is said to run",
    detector: "attempt test",
    patches: [
      {
        file: "server/src/attempts/state.ts",
        find: "nowMs - beatAtMs < limits.attemptSilentMs",
        replace: "nowMs - beatAtMs < Infinity",
      },
    ],
  },
  {
    name: "a later report takes an end back",
    detector: "attempt test",
    patches: [
      {
        file: "server/src/attempts/report.ts",
        find: "(endedAtMs === null || isBetter(end, known))",
        replace: "(endedAtMs === null || !isBetter(end, known))",
      },
    ],
  },
  {
    name: "the table is not told of an end",
    detector: "attempt test",
    patches: [
      {
        file: "server/src/attempts/report.ts",
        find: "  await updateLiveness(transaction, experimentId, nowMs);",
        replace: "  if (!isEnd) await updateLiveness(transaction, experimentId, nowMs);",
      },
    ],
  },
  {
    name: "a launcher that starts a run again is not told from others",
    detector: "attempt test",
    patches: [
      {
        file: "server/src/attempts/attempts.ts",
        find: "id === launch.id && restart > launch.restart",
        replace: "id !== launch.id && restart > launch.restart",
      },
    ],
  },
];
