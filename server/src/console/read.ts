import { limits } from "@lossless/protocol/limits";
import type { ReadConsoleBody } from "@lossless/protocol";
import type { Reader } from "../database/database.ts";
import { requireExperiment } from "../experiments/identity.ts";
import { addArray, type ReplyText } from "../ground/reply-text.ts";
import { chosen, lineText, type LineChoice } from "./line-text.ts";
import { addSources } from "./sources.ts";
import {
  type ConsoleContext,
  firstBlockAt,
  type Stretch,
  stretchesBefore,
  stretchesFrom,
} from "./stretches.ts";

export interface ReadConsole {
  organizationId: string;
  body: ReadConsoleBody;
}

/** Bytes of lines after which a reply ends, so that a page of long lines is not slow. */
export const replyBytesAim = 4 * 1_048_576;

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
  const page = new Page(body, limit);
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

/** Lines of a reply, as JSON, and the numbers of those that were looked at. */
class Page {
  lines: string[] = [];
  from = 0;
  next = 0;
  /** Numbers of those that printed them. */
  readonly sources = new Set<number>();
  readonly #choice: LineChoice;
  readonly #limit: number;
  #bytes = 0;

  constructor(choice: LineChoice, limit: number) {
    this.#choice = choice;
    this.#limit = limit;
  }

  async upwards(
    stretches: AsyncGenerator<Stretch>,
    from: number,
    atMs: number | undefined,
  ): Promise<void> {
    this.from = this.next = from;
    let isBegun = atMs === undefined;
    for await (const stretch of stretches) {
      const { first, lines } = stretch;
      for (let at = Math.max(0, this.next - first); at < lines.count; at++) {
        if (this.#isFull()) return;
        this.next = first + at + 1;
        isBegun ||= lines.timestampMs[at] >= atMs!;
        if (!isBegun) this.from = this.next;
        else this.#add(stretch, at);
      }
    }
  }

  async downwards(stretches: AsyncGenerator<Stretch>, before: number): Promise<void> {
    this.from = this.next = before;
    for await (const stretch of stretches) {
      const { first, lines } = stretch;
      for (let at = Math.min(lines.count, this.from - first) - 1; at >= 0; at--) {
        if (this.#isFull()) break;
        this.from = first + at;
        this.#add(stretch, at);
      }
      if (this.#isFull()) break;
    }
    this.lines.reverse();
  }

  #isFull(): boolean {
    return this.lines.length >= this.#limit || this.#bytes >= replyBytesAim;
  }

  #add(stretch: Stretch, at: number): void {
    if (!chosen(this.#choice, stretch, at)) return;
    const json = lineText(stretch, at);
    this.lines.push(json);
    this.sources.add(stretch.lines.source[at]);
    this.#bytes += json.length;
  }
}
