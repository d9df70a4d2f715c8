import { randomBytes } from "node:crypto";
import { errorData, errorEvent, isErrorCode, limits } from "@lossless/protocol";
import { type Outcome, PointResult } from "../storage/storage.ts";
import { AsciiWriter, asciiJson, asciiView } from "./ascii-writer.ts";
import type { MetricRequest } from "./metric-reader.ts";
import { pointFailure } from "./point-failures.ts";

/**
 * Writes the replies to a request of the fast path: the body of the response as bytes, put together
 * from constant parts and from the request's own bytes, which are plain ASCII and need no escapes.
 */
export class MetricReplies {
  /** Reply ids are `<of this process>-<request>-<point>`: unique, and cheaper than UUIDs. */
  readonly #source = randomBytes(12).toString("hex");
  #requests = 0;

  /** `outcome` is the one of the request's points; `seriesMax` is said to points beyond it. */
  write(
    { points, isArray, body, offsets }: MetricRequest,
    experimentId: string,
    outcome: Outcome,
    seriesMax: number,
  ): Buffer {
    const { count } = points;
    const results = outcome.kind === "metrics" ? outcome.results : new Uint8Array(count);
    if (results.length !== count) {
      throw new Error(`BUG: ${count} points got ${results.length} results`);
    }
    const opening = asciiView(`{"messageId":"${this.#source}-${this.#requests++}-`);
    const correlation = asciiView('","correlationId":"');
    const envelopeBytes = opening.byteLength + indexDigits + correlation.byteLength;

    /** Parts by result. Most requests have one kind of it. */
    const parts: (ReplyParts | undefined)[] = [];
    let sizeBytes = count * envelopeBytes + (isArray ? count + 1 : 0);
    for (let index = 0; index < count; index++) {
      const result = results[index];
      parts[result] ??= replyParts(experimentId, outcome, result, seriesMax);
      const { beforeName, afterName } = parts[result];
      const at = 4 * index;
      sizeBytes += offsets[at + 1] - offsets[at] + beforeName.byteLength;
      if (afterName === undefined) continue;
      sizeBytes += offsets[at + 3] - offsets[at + 2] + afterName.byteLength;
    }

    const source = new DataView(body.buffer, body.byteOffset, body.length);
    const writer = new AsciiWriter(sizeBytes);
    for (let index = 0; index < count; index++) {
      const { beforeName, afterName } = parts[results[index]]!;
      const at = 4 * index;
      if (isArray) writer.byte(index === 0 ? openBracket : comma);
      writer.all(opening);
      writer.decimal(index, indexDigits);
      writer.all(correlation);
      writer.copy(source, offsets[at], offsets[at + 1]);
      writer.all(beforeName);
      if (afterName === undefined) continue;
      writer.copy(source, offsets[at + 2], offsets[at + 3]);
      writer.all(afterName);
    }
    if (isArray) writer.byte(closeBracket);
    return writer.finish();
  }
}

/** The texts after the correlationId: around the metricName, or, for errors, all in the first. */
interface ReplyParts {
  beforeName: DataView;
  afterName: DataView | undefined;
}

/** Returns the parts for one PointResult. Points that failed as a whole all get the same reply. */
function replyParts(
  experimentId: string,
  outcome: Outcome,
  result: number,
  seriesMax: number,
): ReplyParts {
  if (outcome.kind === "value") throw new Error("BUG: metrics were answered with a value");
  if (outcome.kind === "error") {
    const { code, message, details } = outcome;
    if (!isErrorCode(code)) throw new Error(`BUG: no such error code, got ${code}`);
    return errorParts(errorData(code, message, details));
  }
  const failure = pointFailure(result, { seriesMax, room: outcome.room });
  if (failure !== undefined) return errorParts(failure);
  const id = JSON.stringify(experimentId);
  const deduplicated = result === PointResult.duplicate;
  return {
    beforeName: asciiView(
      `","event":"svc.v2.metricRecorded","data":{"experimentId":${id},"metricName":"`,
    ),
    afterName: asciiView(`","deduplicated":${deduplicated}}}`),
  };
}

function errorParts(data: object): ReplyParts {
  const text = `","event":"${errorEvent}","data":${asciiJson(data)}}`;
  return { beforeName: asciiView(text), afterName: undefined };
}

/** Digits of the last index of a request. */
const indexDigits = String(limits.eventsPerRequestMax - 1).length;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
