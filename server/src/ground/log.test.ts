import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createLog, type LogLevel } from "./log.ts";
import { newSecret, secretPrefixes } from "./secrets.ts";

function logged(level: LogLevel, write: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = [];
  write(createLog(level, (line) => lines.push(line)));
  return lines;
}

suite("log", () => {
  test("one JSON object a line, with the fields of its parents", () => {
    const [line] = logged("info", (log) =>
      log.child({ a: 1 }).child({ b: 2 }).info({ c: 3 }, "text"),
    );
    assert.match(line, /^\{.*\}\n$/);
    const { time, ...rest } = JSON.parse(line) as Record<string, unknown>;
    assert.match(String(time), /^\d{4}-\d\d-\d\dT.*Z$/);
    assert.deepEqual(rest, { level: "info", a: 1, b: 2, c: 3, msg: "text" });
  });

  test("levels", () => {
    const all = (log: ReturnType<typeof createLog>) => {
      log.debug("d");
      log.info("i");
      log.warn("w");
      log.error("e");
      log.fatal("f");
      log.silent("s");
    };
    assert.equal(logged("debug", all).length, 5);
    assert.equal(logged("warn", all).length, 3);
    assert.equal(logged("silent", all).length, 0);
  });

  test("T48: no line breaks, no terminal controls, no endless texts", () => {
    const [line] = logged("info", (log) =>
      log.info({ a: "x\r\ny\u001b[31m\u009b\u007f\u2028" }, "z".repeat(5_000)),
    );
    assert.match(line, /^[\x20-\x7e…]*\n$/);
    assert.ok(line.length < 2_000);
    assert.equal((JSON.parse(line) as { a: string }).a, "x\r\ny\u001b[31m\u009b\u007f\u2028");
  });

  test("T19: secrets are replaced wherever they stand", () => {
    const key = `ak_${"k".repeat(40)}`;
    const token = `ik_${"t".repeat(38)}`;
    const error = new Error(`refused ${token}`, {
      cause: new Error(`at postgres://u:hunter22@h/d ${key}`),
    });
    const [line] = logged("info", (log) =>
      log.info(
        { err: error, experimentToken: "plain", deep: { password: "plain" }, list: [key] },
        token,
      ),
    );
    for (const secret of [key, token, "hunter22", "plain"]) assert.ok(!line.includes(secret), line);
    assert.match(line, /refused ik_\[secret\]/);
  });

  test("T19: secrets of every kind are replaced, and words that begin like them are not", () => {
    for (const prefix of secretPrefixes) {
      const secret = newSecret(prefix);
      const [line] = logged("info", (log) => log.info({ a: `x=${secret}&y` }, `Bearer ${secret}`));
      assert.ok(!line.includes(secret.slice(prefix.length)), line);
      assert.match(line, new RegExp(`Bearer ${prefix}\\[secret\\]`));
    }
    const words = "in_progress co_author at_least_one main_loop_of_the_training_run";
    assert.match(logged("info", (log) => log.info(words))[0], new RegExp(words));
  });

  test("what JSON cannot hold does not throw", () => {
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    assert.equal(logged("info", (log) => log.info(circular, "x")).length, 1);
    assert.match(logged("info", (log) => log.info({ big: 1n }))[0], /"big":"1"/);
    assert.match(logged("info", (log) => log.error(new Error("direct")))[0], /"message":"direct"/);
  });
});
