import type { Patch } from "../crash/patched-checkout.ts";
import type { Abuse } from "./abuse.ts";
import { announcedBodies, announcedForms, idleConnections } from "./bodies.ts";
import { fillingTheDisk } from "./disk.ts";
import { costlyBodies } from "./json.ts";
import { manyReadsInOneRequest, oneReadOfManyObjects } from "./replies.ts";
import { seriesStreams, trickledReplies, unreadReplies } from "./unread.ts";

export interface Mutant {
  name: string;
  patches: Patch[];
  /** The abuse whose short form must notice. */
  abuse: Abuse;
}

const unfair: Patch = {
  file: "server/src/ground/fair-shares.ts",
  find: "return after <= Math.max(this.#largest, Math.min(Math.floor(this.#max / 2), free));",
  replace: "return after >= 0;",
};

/**
 * Each defence taken out again. What only the clock would show (metas that are parsed, stores' XML,
 * credentials behind long reads) is no mutant here: the tests beside that code plant those, and the
 * whole form measures.
 */
export const mutants: Mutant[] = [
  {
    name: "the replies of one request have no bound",
    abuse: manyReadsInOneRequest,
    patches: [
      {
        file: "server/src/http/read-replies.ts",
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
        find: "      const annotation = annotationText(row);",
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
    name: "bodies count from when they are announced",
    abuse: announcedBodies,
    patches: [
      {
        file: "server/src/http/request-budget.ts",
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
        file: "server/src/http/whole-body.ts",
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
        file: "server/src/http/connection-shares.ts",
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
        file: "server/src/http/unread-replies.ts",
        find: 'if (nowMs - waiting.progressMs >= this.#idleMs) return "idle";',
        replace: "",
      },
      {
        file: "server/src/http/unread-replies.ts",
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
        file: "server/src/http/unread-replies.ts",
        find: 'return waiting.credit < 0 ? "slow" : undefined;',
        replace: "return undefined;",
      },
      {
        file: "server/src/http/unread-replies.ts",
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
        file: "server/src/http/request-body.ts",
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
    name: "an organization has no quota",
    abuse: fillingTheDisk,
    patches: [
      {
        file: "server/src/quotas/ledger.ts",
        find: "if (used + amount > maximum) throw",
        replace: "if (used + amount > maximum * 1e6) throw",
      },
    ],
  },
];
