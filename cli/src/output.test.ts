import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { bytesText, durationText, Output } from "./output.ts";
import { Progress } from "./progress.ts";

test("an answer takes the place of the bar, which is cleared first and only once", () => {
  const written: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk.toString());
      done();
    },
  });
  const terminal = Object.assign(sink, {
    isTTY: true,
    columns: 80,
  }) as unknown as NodeJS.WriteStream;
  const output = new Output(false, terminal, terminal);
  const progress = new Progress(output, 2, (done) => `${done} of 2`);
  progress.advance(1);
  output.answer({}, () => "2 of 2 files");
  progress[Symbol.dispose]();
  assert.equal(written.length, 3);
  assert.match(written[0] ?? "", /^\r\[#/);
  assert.deepEqual(written.slice(1), ["\r\u001b[K", "2 of 2 files\n"]);
});

test("bytes and durations in few digits", () => {
  const bytes: [number, string][] = [
    [0, "0 B"],
    [999, "999 B"],
    [1_000, "1.00 kB"],
    [9_999, "10.0 kB"],
    [99_960, "100 kB"],
    [999_600, "1.00 MB"],
    [1_234_567_890, "1.23 GB"],
    [5e15, "5.00 PB"],
  ];
  for (const [count, text] of bytes) assert.equal(bytesText(count), text);
  const durations: [number, string][] = [
    [0.2, "1 s"],
    [99, "99 s"],
    [101, "2 min"],
    [5_940, "99 min"],
    [7_260, "2 h 1 min"],
  ];
  for (const [seconds, text] of durations) assert.equal(durationText(seconds), text);
});
