import { limits } from "./wire.ts";

export interface Point {
  /** 1 to 200 characters; the service stores one point for each, however often it is sent. */
  messageId: string;
  /** Printable ASCII, 1 to 256 bytes. */
  metricName: string;
  metricValue: number;
  /** Integer, 0 to 2^53 - 2. */
  step: number;
  /** Unix milliseconds, integer, 0 to 2^53 - 1. */
  timestampMs: number;
  /**
   * JSON of an object of strings: at most 32 keys of 128 bytes, values of 512 bytes, 4,096 bytes of
   * canonical JSON. Kept as text, so later changes of the object do not affect the point.
   */
  metaJson: string;
}

const printableAscii = /^[ -~]+$/;

/**
 * Returns why the service would refuse this point, or undefined. One malformed event rejects its
 * whole request (batching rule 2), so every limit is checked before a point joins a batch. The
 * value only has to be a number: a non-finite one is not the caller's error.
 */
export function pointProblem(point: Omit<Point, "metaJson">): string | undefined {
  const { metricName, step, timestampMs } = point;
  if (typeof metricName !== "string" || !printableAscii.test(metricName)) {
    return "metricName must be printable ASCII, 1 to 256 bytes";
  }
  if (metricName.length > limits.metricNameBytesMax)
    return "metricName must be at most 256 bytes long";
  if (typeof point.metricValue !== "number") return "metricValue must be a number";
  if (!Number.isInteger(step) || step < 0 || step > limits.stepMax) {
    return "step must be an integer from 0 to 2^53 - 2";
  }
  if (!Number.isInteger(timestampMs) || timestampMs < 0 || timestampMs > limits.timestampMsMax) {
    return "timestampMs must be an integer from 0 to 2^53 - 1";
  }
  return messageIdProblem(point.messageId);
}

function messageIdProblem(messageId: unknown): string | undefined {
  if (typeof messageId !== "string" || messageId === "" || !isStorable(messageId)) {
    return "messageId must be a well-formed string of 1 to 200 characters";
  }
  if (messageId.length <= limits.messageIdCharactersMax) return undefined;
  // Characters are Unicode code points; a string holds UTF-16 units.
  if (Array.from(messageId).length <= limits.messageIdCharactersMax) return undefined;
  return "messageId must be at most 200 characters long";
}

/** Returns the JSON text of a point's meta, or why the service would refuse it. */
export function encodeMeta(
  meta: Readonly<Record<string, string>> | undefined,
): { json: string } | { problem: string } {
  if (meta === undefined) return { json: "{}" };
  if (typeof meta !== "object" || meta === null || Array.isArray(meta)) {
    return { problem: "meta must be an object of strings" };
  }
  const members: string[] = [];
  for (const [key, value] of Object.entries(meta) as [string, unknown][]) {
    if (typeof value !== "string" || !isStorable(value) || !isStorable(key)) {
      return { problem: "meta must be an object of well-formed strings" };
    }
    if (utf8Bytes(key) > limits.metricMetaKeyBytesMax)
      return { problem: "a meta key has more than 128 bytes" };
    if (utf8Bytes(value) > limits.metricMetaValueBytesMax)
      return { problem: "a meta value has more than 512 bytes" };
    members.push(`${JSON.stringify(key)}:${JSON.stringify(value)}`);
  }
  if (members.length > limits.metricMetaKeysMax) return { problem: "meta has more than 32 keys" };
  // JSON.stringify escapes as RFC 8785 does, and the order of keys does not affect the length.
  const json = `{${members.join(",")}}`;
  if (utf8Bytes(json) > limits.metricMetaBytesMax)
    return { problem: "meta has more than 4,096 bytes of JSON" };
  return { json };
}

/** Whether a text can be stored: the service refuses NUL and lone surrogates everywhere. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

const encoder = new TextEncoder();

function utf8Bytes(text: string): number {
  return encoder.encode(text).length;
}

/**
 * Builds the event envelope. Numbers print as in JavaScript: the shortest text that reads back
 * equal.
 */
export function metricEvent(experimentIdJson: string, point: Point): string {
  return (
    `{"messageId":${JSON.stringify(point.messageId)},"event":"svc.v2.experiment.metric",` +
    `"data":{"experimentId":${experimentIdJson},"timestampMs":${point.timestampMs},` +
    `"step":${point.step},"metricName":${JSON.stringify(point.metricName)},` +
    `"metricValue":${point.metricValue},"meta":${point.metaJson}}}`
  );
}

/** Approximate bytes of the envelope, to keep bodies small. */
export function approximateBytes(point: Point): number {
  return 220 + point.metricName.length + 3 * (point.messageId.length + point.metaJson.length);
}
