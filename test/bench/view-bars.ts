import type { Bar } from "./bar.ts";

/** Bars for a person at a page: times in this run, on this machine. */
export const viewBars: Bar[] = [
  upTo(
    "overview of one long series over steps, warm",
    "overview of one series over steps, warm ms",
    20,
    10,
  ),
  ...["over steps from its first", "over time", "over time from the first"].map((axis) =>
    upTo(
      `overview of one long series ${axis}, warm`,
      `overview of one series ${axis}, warm ms`,
      20,
      10,
    ),
  ),
  upTo(
    "overview of one long series over time, cold",
    "overview of one series over time, cold ms",
    300,
    150,
  ),
  upTo(
    "overview of one long series, smoothed, warm",
    "overview of one series, smoothed, warm ms",
    60,
    30,
  ),
  // Each of ten million points is read, checked and unpacked before an exact mean, on one thread;
  // once after a start.
  upTo(
    "overview of one long series, smoothed, cold",
    "overview of one series, smoothed, cold ms",
    750,
    450,
  ),
  upTo(
    "overview of one long series, smoothed by x, warm",
    "overview of one series, smoothed by x, warm ms",
    60,
    30,
  ),
  upTo(
    "overview of one long series, smoothed by x, cold",
    "overview of one series, smoothed by x, cold ms",
    750,
    450,
  ),
  upTo("overview of 100 series, warm", "overview of 100 series, warm ms", 150, 100),
  upTo("groups of 10,000 runs, cold", "groups of 10,000 runs, cold ms", 1_000, 700),
  upTo("groups of 100,000 runs, cold", "groups of 100,000 runs, cold ms", 10_000, 6_000),
  upTo("overview of 100 series, cold", "overview of 100 series, cold ms", 300, 150),
  ...["SQLite", "PostgreSQL"].flatMap((database) => [
    upTo(
      `table, first page by any field, ${database}`,
      `table, slowest first page, ${database} ms`,
      50,
      25,
    ),
    upTo(`table, slowest filter, ${database}`, `table, slowest filter, ${database} ms`, 150, 75),
    upTo(
      `completion of a query, ${database}`,
      `table, slowest completion, ${database} ms`,
      100,
      50,
    ),
    upTo(
      `table, a page of all rows by a metric / of the newest, ${database}`,
      `table, a page of a sorted walk / the newest rows, ${database}`,
      2,
      1.4,
      "",
    ),
  ]),
  ...["SQLite", "PostgreSQL"].flatMap((database) => [
    upTo(
      `beside a sweep, until a query finds a meta, ${database}`,
      `sweep, a meta is found, last, ${database} s`,
      10,
      3,
      "s",
    ),
    // An experiment is folded every five seconds at most.
    upTo(
      `beside a sweep, until a query finds a metric, ${database}`,
      `sweep, a metric is found, last, ${database} s`,
      15,
      8,
      "s",
    ),
  ]),
  upTo("first load, compressed", "first load kB", 150, 110, "kB"),
  upTo("the table's first row", "first row ms", 1_000, 500),
  upTo("point acknowledged to pixel, p95", "point acknowledged to pixel p95 ms", 1_000, 500),
  upTo("the first of 10,000 pictures", "first of 10000 pictures ms", 300, 200),
  upTo(
    "10,000 pictures, a hundred seen: memory of the page",
    "page of 10000 pictures MB",
    250,
    150,
    "MB",
  ),
  upTo(
    "12 charts of 100 series: memory of the page",
    "page of 12 charts of 100 series MB",
    250,
    150,
    "MB",
  ),
  upTo("painting a chart of 100 series, without a graphics card", "paint of 100 series ms", 50, 25),
  upTo(
    "values beside the pointer, a move over 100 lines",
    "values beside the pointer, 100 lines, ms a move",
    16,
    8,
  ),
  upTo("list of 100 values at the cursor, a move", "list of 100 values ms a move", 16, 8),
  // 20 and 15 less the 9 that their connections take: a bare server alone is above 20.
  upTo(
    "1,000 waiting viewers, beyond a bare server",
    "1,000 waiting viewers - bare server MiB",
    11,
    6,
    "MiB",
  ),
  upTo("1,000 waiting viewers", "1,000 waiting viewers, % of a core", 1, 0.5, "%"),
  { name: "W1 beside 50 pages", figure: "W1 beside 50 pages / alone", must: 0.95, good: 0.98 },
  { name: "W2 beside 50 pages", figure: "W2 beside 50 pages / alone", must: 0.95, good: 0.98 },
];

function upTo(name: string, figure: string, must: number, good: number, unit = "ms"): Bar {
  return { name, figure, must, good, unit, isUpperBound: true };
}
