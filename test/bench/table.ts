import { artifactBars } from "./artifact-bars.ts";
import type { Bar } from "./bar.ts";
import type { Figures } from "./bench.ts";
import { consoleBars } from "./console-bars.ts";
import { deletingBars } from "./deleting-bars.ts";
import { mlflowBars } from "./mlflow-bars.ts";
import { viewBars } from "./view-bars.ts";

const metricBars: Bar[] = [
  {
    name: "ready after the start, on SQLite",
    figure: "start ms",
    must: 500,
    good: 300,
    unit: "ms",
    isUpperBound: true,
  },
  {
    name: "resident memory at rest",
    figure: "at rest MiB",
    must: 160,
    good: 120,
    unit: "MiB",
    isUpperBound: true,
  },
  {
    name: "ingest W1 / HTTP floor",
    figure: "W1 rate",
    floor: "floor W1 rate",
    must: 0.68,
    good: 0.9,
  },
  {
    name: "ingest W1 with counter ids / HTTP floor",
    figure: "W1 counter rate",
    floor: "floor W1 rate",
    must: 0.75,
    good: 0.9,
  },
  {
    name: "columns of 10,000 points / JSON W1 with counter ids, in turn",
    figure: "columns of 10,000 / JSON",
    must: 4.5,
    good: 6,
  },
  {
    name: "CPU of a million points as columns, sealed and summarized",
    figure: "columns of 10,000 CPU s/M",
    must: 1.2,
    good: 0.8,
    unit: "s",
    isUpperBound: true,
  },
  {
    name: "columns of 10,000 points / a bare server that appends and syncs the bodies, in turn",
    figure: "columns of 10,000 / append floor",
    must: 0.5,
    good: 0.8,
  },
  {
    name: "CPU of an event before it is sealed / that of the HTTP floor",
    figure: "W1 unsealed CPU s/M",
    floor: "floor W1 CPU s/M",
    must: 2.2,
    good: 1.6,
    isUpperBound: true,
  },
  {
    name: "ingest W2 / HTTP floor",
    figure: "W2 rate",
    floor: "floor W2 rate",
    must: 0.5,
    good: 0.8,
  },
  {
    name: "ingest W2 / ingest W1, each as a share of its HTTP floor",
    figure: "W2 / W1, each of its floor",
    must: 0.5,
    good: 0.75,
  },
  {
    name: "commit of a quiet writer (mean) / write + fdatasync",
    figure: "quiet commit ms",
    floor: "fdatasync ms",
    must: 2,
    good: 1.3,
    isUpperBound: true,
  },
  { name: "requests a commit with 50 writers", figure: "W2 requests a commit", must: 30, good: 45 },
  {
    name: "p99 / p50 of W2",
    figure: "W2 p99 ms",
    floor: "W2 p50 ms",
    must: 15,
    good: 5,
    isUpperBound: true,
  },
  {
    name: "event loop p99 during ingest and sealing",
    figure: "loop lag p99 ms",
    must: 25,
    good: 10,
    unit: "ms",
    isUpperBound: true,
  },
  {
    name: "last round / first round, random ids",
    figure: "W1 last round / first",
    must: 0.6,
    good: 0.85,
  },
  {
    name: "longest commit during sealing and merging",
    figure: "longest commit ms",
    must: 250,
    good: 60,
    unit: "ms",
    isUpperBound: true,
  },
  { name: "10 % repeats / fresh events", figure: "10 % repeats / fresh", must: 1, good: 1.5 },
  {
    name: "series stream / NDJSON floor",
    figure: "read rate",
    floor: "NDJSON rate",
    must: 0.5,
    good: 0.65,
  },
  ...[
    { form: "columns", must: 20_000_000, good: 50_000_000 },
    { form: "Arrow", must: 10_000_000, good: 30_000_000 },
  ].map(({ form, ...bounds }) => ({
    name: `points encoded as ${form} by one core, a second`,
    figure: `points encoded as ${form}, a second`,
    ...bounds,
  })),
  {
    name: "CPU of Python's sender for a million points",
    figure: "Python sender CPU s/M",
    must: 1.5,
    good: 0.8,
    unit: "s",
    isUpperBound: true,
  },
  {
    name: "a million points in numpy arrays by Python's Reader",
    figure: "Python: a million points from columns, s",
    must: 0.1,
    good: 0.05,
    unit: "s",
    isUpperBound: true,
  },
  {
    name: "bytes of a sealed point, float64 noise",
    figure: "bytes a point, float64 noise",
    must: 8.5,
    good: 8.1,
    unit: "B",
    isUpperBound: true,
  },
  {
    name: "bytes of a sealed point, float32",
    figure: "bytes a point, float32",
    must: 4.5,
    good: 4,
    unit: "B",
    isUpperBound: true,
  },
  {
    name: "bytes of a sealed point, 4 decimals",
    figure: "bytes a point, 4 decimals",
    must: 3,
    good: 2.5,
    unit: "B",
    isUpperBound: true,
  },
  {
    name: "bytes of a sealed id, random",
    figure: "bytes an id, random ids",
    must: 16,
    good: 12,
    unit: "B",
    isUpperBound: true,
  },
  {
    name: "bytes of a sealed id, counter",
    figure: "bytes an id, float64 noise",
    must: 0.5,
    good: 0.01,
    unit: "B",
    isUpperBound: true,
  },
  {
    name: "first write after kill -9, a point of the log",
    figure: "first write us a point of the log",
    must: 1,
    good: 0.4,
    unit: "us",
    isUpperBound: true,
  },
  {
    name: "resident memory after W1 and W2",
    figure: "RSS MiB",
    must: 400,
    good: 250,
    unit: "MiB",
    isUpperBound: true,
  },
  {
    name: "PostgreSQL W1 / embedded W1",
    figure: "PG W1 rate",
    floor: "W1 rate",
    must: 0.75,
    good: 0.9,
  },
  {
    name: "PostgreSQL W2 / embedded W2",
    figure: "PG W2 rate",
    floor: "W2 rate",
    must: 0.65,
    good: 0.8,
  },
  {
    name: "CPU of the PostgreSQL server for a million events, W1",
    figure: "PG W1 server CPU s/M",
    must: 1.2,
    good: 0.8,
    unit: "s",
    isUpperBound: true,
  },
];

/** The bars as a Markdown table; bars whose figures were not measured are left out. */
export function barTable(figures: Figures): string {
  const bars = [
    ...metricBars,
    ...artifactBars,
    ...viewBars,
    ...consoleBars,
    ...deletingBars,
    ...mlflowBars,
  ];
  const rows = bars.flatMap((one) => {
    const bar = lifted(one, figures);
    const figure = figures.get(bar.figure);
    const floor = bar.floor === undefined ? 1 : figures.get(bar.floor);
    if (figure === undefined || floor === undefined) return [];
    const value = figure / floor;
    return [
      `| ${bar.name} | ${text(value)} ${bar.unit ?? ""} | ${sign(bar)} ${bar.must} | ${sign(bar)} ${bar.good} | ${verdict(bar, value)} |`,
    ];
  });
  return ["| bar | measured | must | good | |", "|---|---|---|---|---|", ...rows].join("\n");
}

/** Every figure as it was measured. */
export function figureTable(figures: Figures): string {
  const rows = [...figures].map(([name, value]) => `| ${name} | ${text(value)} |`);
  return ["| figure | measured |", "|---|---|", ...rows].join("\n");
}

/** Where the part that is not ours is more than the bar, the bar is what we could reach. */
function lifted(bar: Bar, figures: Figures): Bar {
  const share = bar.share === undefined ? undefined : figures.get(bar.share);
  if (share === undefined) return bar;
  const floor = bar.floor === undefined ? 1 : (figures.get(bar.floor) ?? 1);
  const alone = share / floor;
  const must = alone > bar.must ? 2 * alone : bar.must;
  const good = alone > bar.good ? Math.min(1.5 * alone, must) : bar.good;
  return { ...bar, must: rounded(must), good: rounded(good) };
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

function sign({ isUpperBound = false }: Bar): string {
  return isUpperBound ? "<=" : ">=";
}

function verdict({ must, good, isUpperBound = false }: Bar, value: number): string {
  const reaches = (bound: number): boolean => (isUpperBound ? value <= bound : value >= bound);
  if (reaches(good)) return "good";
  return reaches(must) ? "must" : "**missed**";
}

function text(value: number): string {
  if (value >= 1_000) return Math.round(value).toLocaleString("en-US");
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
