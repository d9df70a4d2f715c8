import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { Output } from "./output.ts";
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
