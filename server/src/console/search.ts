import { setImmediate } from "node:timers/promises";
import { limits } from "@lossless/protocol/limits";
import type { SearchConsoleBody } from "@lossless/protocol";
import type { Reader } from "../database/database.ts";
import { requireExperiment } from "../experiments/identity.ts";
import { addArray, type ReplyText } from "../ground/reply-text.ts";
import { LineMatcher } from "./line-matcher.ts";
import { lookedForMsMax, replyBytesAim } from "./line-page.ts";
import { chosen, lineText } from "./line-text.ts";
import { totalLines } from "./read.ts";
import { type ConsoleContext, type Stretch, stretchesBefore, stretchesFrom } from "./stretches.ts";

export interface SearchConsole {
  organizationId: string;
  body: SearchConsoleBody;
}

/**
 * Bytes of texts that are decoded before they are searched at once: twice as many each time, while
 * their search is quick.
 */
const gatheredBytes = { first: 262_144, last: 4_194_304 };
const quickMs = 10;
/** Blocks that threads of the pool decompress meanwhile. */
const blocksAhead = 8;

/** `POST /api/console/v1/search`. Gives way between blocks. */
export async function searchConsole(
  reader: Reader,
  { organizationId, body }: SearchConsole,
  text: ReplyText,
  context: ConsoleContext,
): Promise<void> {
  const { experimentId: asked, limit = limits.consoleReadUsual } = body;
  const matcher = LineMatcher.of(body);
  const experimentId = await requireExperiment(reader, organizationId, { experimentId: asked });
  const total = await totalLines(reader, experimentId);
  const isUpwards = body.before === undefined;
  const begin = Math.min(total, body.before ?? body.first ?? 0);
  const stretches = isUpwards
    ? stretchesFrom(reader, context, experimentId, begin, blocksAhead)
    : stretchesBefore(reader, context, experimentId, begin, blocksAhead);
  const found: string[] = [];
  const endMs = performance.now() + lookedForMsMax;
  let bytes = 0;
  let reached = begin;
  const gather = { bytes: gatheredBytes.first };
  search: for await (const some of gathered(stretches, gather)) {
    const beginMs = performance.now();
    const matches = await matcher.matchesIn(some.map(({ lines }) => lines));
    const isQuick = performance.now() - beginMs < quickMs;
    gather.bytes = isQuick ? Math.min(2 * gather.bytes, gatheredBytes.last) : gatheredBytes.first;
    for (const [number, stretch] of some.entries()) {
      const { first, lines } = stretch;
      const matching = matches[number];
      for (const at of isUpwards ? matching : matching.reverse()) {
        const line = first + at;
        const isBehind = isUpwards ? line < reached : line >= reached;
        if (isBehind || !chosen(body, stretch, at)) continue;
        found.push(lineText(stretch, at));
        bytes += found.at(-1)!.length;
        if (found.length < limit && bytes < replyBytesAim) continue;
        reached = isUpwards ? line + 1 : line;
        break search;
      }
      reached = isUpwards ? first + lines.count : first;
    }
    if (performance.now() >= endMs) break;
    await setImmediate();
  }
  if (!isUpwards) found.reverse();
  const [from, next] = isUpwards ? [begin, reached] : [reached, begin];
  await text.add('{"lines":');
  await addArray(text, found, (line) => line);
  const isComplete = reached === (isUpwards ? total : 0);
  await text.add(
    `,"first":${from},"next":${next},"total":${total},"isComplete":${String(isComplete)}}`,
  );
}

/** `gather`: the bytes of each gathering, read when the one before has been searched. */
async function* gathered(
  stretches: AsyncGenerator<Stretch>,
  gather: { bytes: number },
): AsyncGenerator<Stretch[]> {
  let some: Stretch[] = [];
  let bytes = 0;
  for await (const stretch of stretches) {
    some.push(stretch);
    bytes += stretch.lines.text.length;
    if (bytes < gather.bytes) continue;
    yield some;
    some = [];
    bytes = 0;
  }
  if (some.length > 0) yield some;
}
