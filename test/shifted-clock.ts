import { readFileSync } from "node:fs";

/**
 * Loaded into a service with `--import`, it moves the service's wall clock by the number of
 * milliseconds in the file LOSSLESS_TEST_CLOCK, read anew at each question. Timers and monotonic
 * time stay as they are.
 */
const file = process.env.LOSSLESS_TEST_CLOCK;
if (file === undefined) throw new Error("LOSSLESS_TEST_CLOCK names no file");

const RealDate = Date;

function shiftedNow(): number {
  let text = "";
  // Whoever writes the file anew empties it first.
  while (text === "") text = readFileSync(file!, "utf8");
  return RealDate.now() + Number(text);
}

globalThis.Date = class extends RealDate {
  constructor(...given: [] | [number | string | Date]) {
    if (given.length === 0) super(shiftedNow());
    else super(...(given as [number]));
  }

  static override now(): number {
    return shiftedNow();
  }
} as DateConstructor;
