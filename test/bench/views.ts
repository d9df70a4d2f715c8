import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call } from "../http.ts";
import { organizations } from "../service.ts";
import type { Figures } from "./bench.ts";
import { measureCompare } from "./compare-page.ts";
import { Child, load } from "./child.ts";
import { measureTables } from "./experiments-table.ts";
import { measureGroups } from "./grouped-curves.ts";
import { median } from "./measure.ts";
import { measureMediaPage } from "./media-page.ts";
import { measurePages } from "./pages.ts";
import { Subject } from "./subject.ts";
import { measureSweeps } from "./sweep.ts";
import { measureIngestBesideViewers } from "./viewers.ts";
import { parts, type ViewsOptions } from "./views-options.ts";
import { measureWaits } from "./waits.ts";
import type { Experiment, Workload } from "./workload.ts";

const columns = 1_600;
const columnsOfHundred = 1_000;
const warmReads = 15;
/** Each of another width, so that none is there as it was drawn before. */
const newReads = 5;
const coldReads = 3;
/** As people smooth: by x, and by points as TensorBoard does. */
const smooth = { kind: "ema", weight: 0.99 };
const smoothByX = { kind: "x", weight: 0.99 };
const pointsPerRound = 200_000;

interface Asked {
  xAxis: string;
  columns: number;
  series: object[];
  align?: boolean;
  smooth?: object;
}

/**
 * Measures the pages' requests: overviews, tables, the pages themselves, and ingest beside viewers.
 */
export async function measureViews(options: ViewsOptions): Promise<Figures> {
  const figures: Figures = new Map();
  const set = (name: string, value: number): void => {
    figures.set(name, value);
    options.progress(`${name}: ${value.toPrecision(4)}`);
  };
  const all: Record<(typeof parts)[number], () => Promise<void>> = {
    overviews: () => measureOverviews(options, set),
    table: () => measureTables(options, set),
    groups: () => measureGroups(options, set),
    sweep: () => measureSweeps(options, set),
    pages: () => measurePages(set),
    compare: () => measureCompare(set),
    media: () => measureMediaPage(set),
    ingest: () => measureIngestBesideViewers(options, set),
    waits: () => measureWaits(set),
  };
  for (const part of parts) if (options.parts.has(part)) await all[part]();
  return figures;
}

/** Those that were named; all where none was. */
export function viewParts(named: readonly string[]): ViewsOptions["parts"] {
  const unknown = named.find((name) => !parts.some((part) => part === name));
  if (unknown !== undefined) throw new Error(`${unknown} is none of ${parts.join(", ")}.`);
  return new Set(named.length === 0 ? parts : parts.filter((part) => named.includes(part)));
}

/** Cold is the first read of a service that has just started: the system has the files, it not. */
async function measureOverviews(
  options: ViewsOptions,
  set: (name: string, value: number) => void,
): Promise<void> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "lossless-views-"));
  const [one, hundred] = await fill(directory.path, options);
  const series = Array.from({ length: 100 }, (_, number) => `train/metric_${number}`);
  const over = { xAxis: "step", columns, align: true };
  const single = named(one, series.slice(0, 1));
  const from = (xAxis: string) => ({ xAxis, columns, series: single });
  const requests: [string, Asked][] = [
    ["overview of one series over steps", { ...over, series: single }],
    ["overview of one series over steps from its first", { ...over, ...from("offset") }],
    ["overview of one series over time", from("timestamp")],
    ["overview of one series over time from the first", from("elapsed")],
    ["overview of one series, smoothed", { ...over, smooth, series: single }],
    ["overview of one series, smoothed by x", { ...over, smooth: smoothByX, series: single }],
    [
      "overview of 100 series",
      { ...over, columns: columnsOfHundred, series: named(hundred, series) },
    ],
  ];
  for (const [name, body] of requests) {
    const cold: number[] = [];
    const warm: number[] = [];
    const drawn: number[] = [];
    for (let start = 0; start < coldReads; start++) {
      await using subject = await Subject.start({ directory: directory.path });
      await subject.openPage();
      cold.push(await readOverview(subject, body, options.points));
      for (let read = 0; read < warmReads; read++) {
        warm.push(await readOverview(subject, body, options.points));
      }
      for (let read = 1; read <= newReads; read++) {
        const narrower = { ...body, columns: body.columns - read };
        drawn.push(await readOverview(subject, narrower, options.points));
      }
    }
    set(`${name}, cold ms`, median(cold));
    set(`${name}, warm ms`, median(warm));
    set(`${name}, drawn anew ms`, median(drawn));
  }
}

function named({ experimentId }: Experiment, names: string[]): object[] {
  return names.map((seriesName) => ({ experimentId, seriesName }));
}

async function readOverview(subject: Subject, body: object, points: number): Promise<number> {
  const startedMs = performance.now();
  const path = "/api/views/v1/overview";
  const { key } = organizations.acme;
  const { status, text } = await call(subject.service.baseUrl, { path, credential: key, body });
  const tookMs = performance.now() - startedMs;
  const considered = status === 200 ? (JSON.parse(text) as { points: number }).points : 0;
  if (considered === points) return tookMs;
  throw new Error(`${status}: ${considered} of ${points} points: ${text.slice(0, 500)}`);
}

/** One series of all points, and a hundred that have as many together; everything is sealed. */
async function fill(directory: string, options: ViewsOptions): Promise<Experiment[]> {
  await using subject = await Subject.start({ directory, flags: ["--seal-idle-ms", "0"] });
  using generator = new Child("generator.ts");
  const [one, hundred] = await subject.open(2, "views");
  const write = async (workload: Workload["name"], experiment: Experiment): Promise<void> => {
    const { baseUrl } = subject.service;
    const kind = { identifiers: "counter", values: "float32", repeats: 0 } as const;
    for (let done = 0; done < options.points; done += pointsPerRound) {
      const to = { baseUrl, workload, events: Math.min(pointsPerRound, options.points - done) };
      const order = { ...to, ...kind, experiments: [experiment], key: workload };
      await load(generator, order, () => 0);
    }
  };
  await write("long", one);
  await write("W1", hundred);
  await subject.figures.sealed(2 * options.points);
  options.progress(`2 x ${options.points} points are written`);
  return [one, hundred];
}
