import type { Patch } from "../crash/patched-checkout.ts";
import type { Abuse } from "./abuse.ts";
import { announcedBodies, announcedForms, idleConnections } from "./bodies.ts";
import { costlyColumns } from "./columns.ts";
import { fillingTheDisk } from "./disk.ts";
import { costlyBodies } from "./json.ts";
import { leftReads } from "./left-reads.ts";
import { manyReadsInOneRequest, oneReadOfManyObjects } from "./replies.ts";
import { searchedRuns, searchedTexts } from "./reads.ts";
import { seriesStreams, trickledReplies, unreadReplies } from "./unread.ts";

export interface Mutant {
  name: string;
  patches: Patch[];
  /** The abuse whose short form must notice. */
  abuse: Abuse;
  /** Where the defence counts; left out: on both databases. */
  on?: "sqlite" | "postgres";
}

const unfair: Patch = {
  file: "server/src/ground/fair-shares.ts",
  find: "return after <= Math.max(this.#largest, Math.min(Math.floor(this.#max / 2), free));",
  replace: "return after >= 0;",
};

/** Texts are compared as the databases do it, the whole pattern at every place. */
const byLike: Patch = {
  file: "server/src/views/table/sql-text.ts",
  find: "return reader.isLike(`lower(${column})`, likePattern(pattern), (value) => this.bind(value));",
  replace:
    "void reader.inTime;\n    return `lower(${column}) LIKE ${this.bind(likePattern(pattern))} ESCAPE '\\\\'`;",
};

/**
 * Each defence taken out again. What only the clock would show (metas that are parsed, stores' XML,
 * credentials behind long reads, places that each sort anew, turns at connections and between rows)
 * is no mutant here: the tests beside that code count it, and the whole form measures.
 */
export const mutants: Mutant[] = [
  {
    name: "the replies of one request have no bound",
    abuse: manyReadsInOneRequest,
    patches: [
      {
        file: "server/src/http/replies/read-replies.ts",
        find: "{ max, left: max - this.#usedBytes }",
        replace: "{ max, left: max }",
      },
    ],
  },
  {
    name: "metas are parsed and kept on their way",
    abuse: oneReadOfManyObjects,
    patches: [
      {
        file: "server/src/experiments/query-annotations.ts",
        find: "  let count = 0;",
        replace: "  let count = 0;\n  const kept: unknown[] = [];",
      },
      {
        file: "server/src/experiments/query-annotations.ts",
        find: "      const annotation = annotationText({ ...row, meta: shown(row.meta) });",
        replace:
          "      const annotation = annotationText(row);\n      kept.push(JSON.parse(annotation));",
      },
      {
        file: "server/src/experiments/query-annotations.ts",
        find: "  await text.add('],\"truncated\":false');",
        replace: '  await text.add(`],"truncated":${kept.length < 0}`);',
      },
    ],
  },
  {
    name: "the counts of columns are believed",
    abuse: costlyColumns,
    patches: [
      {
        file: "server/src/wire/column-layout.ts",
        find: "if (checksumAt + 4 !== bytes.length) {",
        replace: "if (bytes.length < 0) {",
      },
    ],
  },
  {
    name: "bodies count from when they are announced",
    abuse: announcedBodies,
    patches: [
      {
        file: "server/src/http/limits/request-budget.ts",
        find: "this.#shares.fits(holder, announcedBytes) && this.#shares.take(holder, 0);",
        replace: "this.#shares.take(holder, announcedBytes);",
      },
    ],
  },
  {
    name: "bodies need not make progress",
    abuse: announcedBodies,
    patches: [
      {
        file: "server/src/http/bodies/whole-body.ts",
        find: "    progress.startWaiting();",
        replace: "    progress[Symbol.dispose]();",
      },
      {
        file: "server/src/http/server.ts",
        find: "requestTimeout: settings.requestTimeoutMs,",
        replace: "requestTimeout: 0,",
      },
    ],
  },
  { name: "one address takes all open bodies", abuse: announcedForms, patches: [unfair] },
  {
    name: "one address takes all connections",
    abuse: idleConnections,
    patches: [
      {
        file: "server/src/http/limits/connection-shares.ts",
        find: "this.#shares.take(senderOf(address))",
        replace: "this.#shares.take(`${senderOf(address)} ${Math.random()}`)",
      },
    ],
  },
  {
    name: "unread replies are kept",
    abuse: unreadReplies,
    patches: [
      {
        file: "server/src/http/limits/unread-replies.ts",
        find: 'if (nowMs - waiting.progressMs >= this.#idleMs) return "idle";',
        replace: "",
      },
      {
        file: "server/src/http/limits/unread-replies.ts",
        find: 'return waiting.credit < 0 ? "slow" : undefined;',
        replace: "return undefined;",
      },
    ],
  },
  {
    name: "replies may trickle for ever",
    abuse: trickledReplies,
    patches: [
      {
        file: "server/src/http/limits/unread-replies.ts",
        find: 'return waiting.credit < 0 ? "slow" : undefined;',
        replace: "return undefined;",
      },
      {
        file: "server/src/http/limits/unread-replies.ts",
        find: "if (more > 0) waiting.progressMs = nowMs;",
        replace: "waiting.progressMs = nowMs;",
      },
    ],
  },
  { name: "one organization takes all streams", abuse: seriesStreams, patches: [unfair] },
  {
    name: "gzip unpacks to anything",
    abuse: costlyBodies,
    patches: [
      {
        file: "server/src/http/bodies/request-body.ts",
        find: "if (sizeBytes > ratioBytesMax) throw tooDense();",
        replace: "",
      },
    ],
  },
  {
    name: "a body may have any number of values",
    abuse: costlyBodies,
    patches: [
      {
        file: "server/src/ground/strict-json.ts",
        find: "const valuesPerDocument = 1_000_000;",
        replace: "const valuesPerDocument = 2 ** 40;",
      },
    ],
  },
  {
    name: "a pattern of a query may be as long as the query",
    abuse: searchedTexts,
    patches: [
      {
        file: "protocol/src/query-language.ts",
        find: "if (length > most)",
        replace: "if (length > most * 1e6)",
      },
    ],
  },
  {
    name: "a pattern of MLflow's may be of any length",
    abuse: searchedRuns,
    patches: [
      {
        file: "server/src/http/mlflow/filter/filter.ts",
        find: "const patternCharactersMax = 4_000;",
        replace: "const patternCharactersMax = 2 ** 40;",
      },
    ],
  },
  {
    name: "a pattern is compared at every place of a text",
    abuse: searchedTexts,
    patches: [byLike],
  },
  {
    name: "a statement has no end, and holds the thread of all views",
    abuse: searchedTexts,
    patches: [
      byLike,
      {
        file: "server/src/database/statement-clock.ts",
        find: "const nowMs = performance.now();\n    if (nowMs > this.#deadlineMs) throw late();",
        replace: "if (this.#rows >= 0) return;\n    const nowMs = performance.now();",
      },
      {
        file: "server/src/database/postgres-transaction.ts",
        find: "String(statementMs));",
        replace: "String(statementMs * 0));",
      },
    ],
  },
  {
    name: "a statement goes on when nobody waits for it",
    abuse: leftReads,
    on: "postgres",
    patches: [
      {
        file: "server/src/database/postgres-transaction.ts",
        find: "if (left === undefined) return statement();",
        replace: "if (left === undefined || !left.aborted) return statement();",
      },
    ],
  },
  {
    name: "a search is not told that its client has gone",
    abuse: leftReads,
    on: "postgres",
    patches: [
      {
        file: "server/src/http/request-storage.ts",
        find: "if (isShortRead(name)) return",
        replace: 'if (isShortRead(name) || name !== "") return',
      },
    ],
  },
  {
    name: "an organization has no quota",
    abuse: fillingTheDisk,
    patches: [
      {
        file: "server/src/database/quotas/ledger.ts",
        find: "if (used + amount > maximum) throw",
        replace: "if (used + amount > maximum * 1e6) throw",
      },
    ],
  },
];
