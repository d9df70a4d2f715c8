import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import type { Recorder, SeriesBlock } from "@lossless/client";

/** Yields the lines of a file as JSON values. */
export async function* linesOf<Line>(file: string): AsyncGenerator<Line> {
  const source = createReadStream(file);
  const text = source.pipe(createGunzip());
  source.once("error", (error) => text.destroy(error));
  for await (const line of createInterface({ input: text, crlfDelay: Infinity }))
    if (line !== "") yield JSON.parse(line) as Line;
}

/**
 * Records the points of a file. A point's messageId is a hash of the place of recording and its
 * content, with a count among entirely equal points, so a later export with more points adds only
 * those. Points without a step are skipped, because no recording accepts them.
 */
export async function recordPoints(recorder: Recorder, file: string): Promise<void> {
  let partition = "";
  let place = "";
  const equal = new Map<number, number>();
  for await (const block of linesOf<SeriesBlock>(file)) {
    const { seriesName, metadata } = block;
    const own = JSON.stringify([recorder.experimentId, seriesName, sorted(metadata)]);
    if (own !== partition) {
      partition = own;
      place = "";
    }
    for (const [index, value] of block.value.entries()) {
      const step = block.step[index];
      if (step === null) continue;
      const timestampMs = block.timestampMs[index];
      if (place !== `${step} ${timestampMs}`) {
        place = `${step} ${timestampMs}`;
        equal.clear();
      }
      const occurrence = equal.get(value) ?? 0;
      equal.set(value, occurrence + 1);
      const messageId = idOf(`${partition} ${place} ${value} ${occurrence}`);
      if (recorder.isFull) await recorder.ready();
      recorder.record(seriesName, value, step, { timestampMs, messageId, meta: metadata });
    }
  }
  await recorder.flush();
}

function sorted(metadata: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(metadata).sort(([left], [right]) => (left < right ? -1 : 1));
}

function idOf(text: string): string {
  return `import-${createHash("sha256").update(text).digest("base64url").slice(0, 22)}`;
}
