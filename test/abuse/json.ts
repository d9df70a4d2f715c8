import { gzipSync } from "node:zlib";
import { event } from "../contract/callers.ts";
import type { JsonObject } from "../http.ts";
import type { Abuse } from "./abuse.ts";

interface Body {
  what: string;
  body: Buffer;
  isGzip: boolean;
  /** Pattern of its refusal; undefined: it has to be stored. */
  refusal: RegExp | undefined;
}

/** Finding 9: small bodies that keep a parser busy. */
export const costlyBodies: Abuse = {
  name: "small bodies that cost much to read",
  isTimed: true,
  async prepare(scene) {
    const { id, token } = await scene.open();
    const bodies = costly(id);
    return async () => {
      for (const { what, body, isGzip, refusal } of bodies) {
        const headers: Record<string, string> = isGzip ? { "content-encoding": "gzip" } : {};
        const path = `/api/v2/experiments/${id}/events`;
        const reply = await scene.post(path, body, token, headers);
        const isRight = refusal?.test(reply.text) ?? reply.status === 200;
        scene.expect(isRight, `${what} got ${reply.status}: ${reply.text.slice(0, 200)}`);
      }
    };
  },
};

function costly(experimentId: string): Body[] {
  const annotation = (meta: JsonObject) =>
    event("experiment.annotate", { experimentId, annotation: "a", meta });
  const many = (count: number, one: string): string => Array(count).fill(one).join();
  const keys = Array.from({ length: 16_000 }, (_, index) => `"k${index}":0`).join();
  const nested = "[[[[[[[[[]]]]]]]]]";
  const tooDense = /unpacks to more than 20 times.*code=payload_too_large/;
  const tooMany = /more than 1,000,000 members and elements.*code=validation_failed/;
  const invalid = /code=validation_failed/;
  const gzip: [string, string, RegExp][] = [
    ["objects of 16,000 members", `[${many(200, `{${keys}}`)}]`, tooMany],
    ["ten million arrays", `[${many(160, `[${many(65_000, "[]")}]`)}]`, tooDense],
    ["32 MB of spaces", `[${" ".repeat(32 * 1024 * 1024 - 2)}]`, tooDense],
  ];
  const plain: [string, string, RegExp | undefined][] = [
    ["a million numbers", `[${many(17, `[${many(60_000, "0")}]`)}]`, tooMany],
    ["nested arrays", `[${many(50_000, nested)}]`, invalid],
    ["a member twice", `[${many(7, `{${keys}}`)},{"a":1,"a":2}]`, /twice.*code=malformed_json/],
    ["escapes", JSON.stringify("\u0001".repeat(330_000)), invalid],
    ["long numbers", `[${many(1_900, "1".repeat(999))}]`, invalid],
    [
      "valid annotations",
      JSON.stringify(
        Array.from({ length: 30 }, () => annotation({ a: JSON.parse(`[${many(3_000, nested)}]`) })),
      ),
      undefined,
    ],
  ];
  return [
    ...gzip.map(([what, text, refusal]) => {
      return { what, body: gzipSync(text), isGzip: true, refusal };
    }),
    ...plain.map(([what, text, refusal]) => {
      return { what, body: Buffer.from(text), isGzip: false, refusal };
    }),
  ];
}
