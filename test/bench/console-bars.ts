import type { Bar } from "./bar.ts";

/** Bars of the console: what a training, and a person who reads it, waits for. */
export const consoleBars: Bar[] = [
  {
    name: "lines from one run into the service, a second",
    figure: "console lines a second",
    must: 100_000,
    good: 200_000,
  },
  {
    name: "the same / one thread that parses and compresses the same bodies",
    figure: "console lines a second",
    floor: "floor of console lines a second",
    must: 0.05,
    good: 0.1,
  },
  {
    name: "print until a follower has the line, p95",
    figure: "printed to followed p95 ms",
    must: 1_000,
    good: 700,
    unit: "ms",
    isUpperBound: true,
  },
  ...["cold", "warm"].map((state): Bar => {
    return {
      name: `last screen of the whole log, ${state}`,
      figure: `last screen, ${state} ms`,
      must: 100,
      good: 30,
      unit: "ms",
      isUpperBound: true,
    };
  }),
  ...["a text", "a regular expression"].map((what): Bar => {
    return {
      name: `the whole log searched for ${what}`,
      figure: `search of ${what}, MB/s`,
      must: 200,
      good: 400,
      unit: "MB/s",
    };
  }),
  {
    name: "a print, beyond the same without a recording, p50",
    figure: "print - print alone p50 us",
    must: 10,
    good: 7,
    unit: "us",
    isUpperBound: true,
  },
];
