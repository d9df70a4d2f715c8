/**
 * Makes the calls that it reads from its input with the TypeScript client, for the comparison with
 * the Python client in python/tests/test_equal_bodies.py: what both send has to be equal.
 */
import { text } from "node:stream/consumers";
import { LosslessClient } from "@lossless/client";

interface Calls {
  slug: string;
  description: string;
  meta: Record<string, unknown>;
  points: [name: string, value: number, step: number, at: number, meta: Record<string, string>][];
  annotations: [text: string, meta: Record<string, unknown>][];
  /** A NaN and the infinities are no JSON. */
  nonfinite: [
    name: string,
    value: "NaN" | "Infinity" | "-Infinity",
    step: number,
    at: number,
    meta: Record<string, string>,
  ][];
  error: string | null;
}

const calls = JSON.parse(await text(process.stdin)) as Calls;
const client = new LosslessClient({
  baseUrl: process.env["LOSSLESS_URL"] ?? "",
  apiKey: process.env["LOSSLESS_API_KEY"] ?? "",
});
const { slug, description, meta } = calls;
const recorder = await client.record({ slug, description, meta }, { idPrefix: "typescript" });
for (const [name, value, step, timestampMs, pointMeta] of calls.points) {
  recorder.record(name, value, step, { timestampMs, meta: pointMeta });
}
for (const [annotation, annotationMeta] of calls.annotations) {
  await recorder.annotate(annotation, annotationMeta);
}
for (const [name, value, step, timestampMs, meta] of calls.nonfinite) {
  recorder.record(name, Number(value), step, { timestampMs, meta });
}
await recorder.finish(calls.error === null ? {} : { error: calls.error });
