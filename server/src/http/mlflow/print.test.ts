import assert from "node:assert/strict";
import { test } from "node:test";
import { printMessage, printPoints } from "./print.ts";

test("integers keep their digits, numbers that are none are words, and nothing is left out but undefined", () => {
  const message = {
    run: { id: 9_223_372_036_854_775_807n, end: undefined, tags: [{ key: "\n", value: "ü" }] },
    values: [NaN, -Infinity, 0.1, -0],
    next: undefined,
  };
  assert.equal(
    printMessage(message).toString(),
    `{"run":{"id":9223372036854775807,"tags":[{"key":"\\n","value":"ü"}]},"values":["NaN","-Infinity",0.1,0]}`,
  );
});

test("every value of several runs is printed once, in their order", () => {
  const runs = [700, 0, 324, 1].map((count, run) => ({
    runId: `run ${run}`,
    value: Float64Array.from({ length: count }, (_, at) => (at === 9 ? Infinity : at / 7)),
    timestamp: BigInt64Array.from({ length: count }, (_, at) => 2n ** 60n + BigInt(at)),
    step: BigInt64Array.from({ length: count }, (_, at) => BigInt(-at)),
  }));
  const expected = runs.flatMap(({ runId, value, timestamp, step }) =>
    Array.from(value, (one, at) => {
      const shown = Number.isFinite(one) ? JSON.stringify(one) : `"${one}"`;
      const place = `"timestamp":${timestamp[at]},"step":${step[at]},"run_id":"${runId}"`;
      return `{"key":"a\\"b","value":${shown},${place}}`;
    }),
  );
  const metrics = printPoints('a"b', runs);
  assert.equal(printMessage({ metrics }).toString(), `{"metrics":[${expected.join(",")}]}`);
  assert.equal(printPoints("m", [runs[1]]), undefined);
});
