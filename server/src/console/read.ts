import { limits } from "@lossless/protocol/limits";
import type { ReadConsoleBody } from "@lossless/protocol";
import type { Reader } from "../database/database.ts";
import { requireExperiment } from "../experiments/identity.ts";
import { addArray, type ReplyText } from "../ground/reply-text.ts";
import { LinePage, lookedForMsMax } from "./line-page.ts";
import { addSources } from "./sources.ts";
import { type ConsoleContext, firstBlockAt, stretchesBefore, stretchesFrom } from "./stretches.ts";

export interface ReadConsole {
  organizationId: string;
  body: ReadConsoleBody;
}

/** `POST /api/console/v1/read`. */
export async function readConsole(
  reader: Reader,
  { organizationId, body }: ReadConsole,
  text: ReplyText,
  context: ConsoleContext,
): Promise<void> {
  const { experimentId: asked, before, atMs, limit = limits.consoleReadUsual } = body;
  const experimentId = await requireExperiment(reader, organizationId, { experimentId: asked });
  const total = await totalLines(reader, experimentId);
  const endMs = performance.now() + lookedForMsMax;
  const page = new LinePage(body, limit, () => performance.now() >= endMs);
  if (body.first !== undefined || atMs !== undefined) {
    const from = body.first ?? (await firstBlockAt(reader, context, experimentId, atMs!)) ?? 0;
    await page.upwards(
      stretchesFrom(reader, context, experimentId, from),
      Math.min(from, total),
      atMs,
    );
  } else {
    const end = Math.min(before ?? total, total);
    await page.downwards(stretchesBefore(reader, context, experimentId, end), end);
  }
  await text.add('{"lines":');
  await addArray(text, page.lines, (line) => line);
  await text.add(`,"first":${page.from},"next":${page.next},"total":${total},"sources":`);
  await addSources(
    reader,
    experimentId,
    text,
    body.sourcesOf === "page" ? page.sources : undefined,
  );
  await text.add("}");
}

export async function totalLines(reader: Reader, experimentId: string): Promise<number> {
  const row = await reader.get<{ lines: number }>(
    "SELECT lines FROM console WHERE experiment = $1",
    experimentId,
  );
  return row?.lines ?? 0;
}
