/**
 * `npm run verify-import -- FILES... [--url U] [--api-key K] [--folder PATH] [--base-timestamp N]`
 *
 * Compares CSV files with what a service gives back for them, bit for bit: every row is there,
 * nothing else is, and step, timestamp, metric and the 64 bits of the value are those of the file.
 * Knows neither the client nor the command line: its own reader of the files, and plain fetch. Exit
 * code 0: equal, 1: not.
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: "string", default: process.env["LOSSLESS_URL"] ?? "http://127.0.0.1:7070" },
    "api-key": { type: "string", default: process.env["LOSSLESS_API_KEY"] ?? "" },
    folder: { type: "string" },
    "base-timestamp": { type: "string", default: String(Date.UTC(2024, 0, 1)) },
  },
});
const baseTimestampMs = Number(values["base-timestamp"]);
const filesAtOnce = 4;

interface Point {
  step: number;
  timestampMs: number;
  bits: bigint;
}
/** Points by metric name. */
type Points = Map<string, Point[]>;

interface Envelope {
  event: string;
  correlationId: string;
  data: Record<string, unknown>;
}

interface FolderNode {
  name: string;
  folders: FolderNode[];
  experiments: { slug: string }[];
}

if (files.length === 0) {
  console.error("Name the CSV files that were imported.");
  process.exit(2);
}
const slugsInFolder = values.folder === undefined ? undefined : await readFolder(values.folder);
const totals = { files: 0, rows: 0, points: 0, differences: 0 };
const waiting = [...files];
await Promise.all(
  Array.from({ length: filesAtOnce }, async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) await check(file);
  }),
);
console.log(
  `${totals.files} files, ${totals.rows} rows; the service has ${totals.points} points: ` +
    (totals.differences === 0 ? "all equal, bit for bit" : `${totals.differences} DIFFERENCES`),
);
process.exitCode = totals.differences === 0 ? 0 : 1;

async function check(file: string): Promise<void> {
  totals.files++;
  const slug = basename(file).replace(/\.csv(\.gz)?$/, "");
  const complain = (sentence: string): void => {
    totals.differences++;
    console.log(`${slug}: ${sentence}`);
  };
  const expected = readFile(file);
  totals.rows += countOf(expected);
  const experiment = await ask("svc.v2.query.experiment", { experimentSlug: slug });
  if (experiment.event === "svc.v2.error") return complain(String(experiment.data["message"]));
  if (slugsInFolder?.has(slug) === false) complain(`does not stand in ${values.folder}`);
  const stored = await readSeries(String(experiment.data["experimentId"]));
  totals.points += countOf(stored);
  for (const metric of new Set([...expected.keys(), ...stored.keys()])) {
    const difference = compare(expected.get(metric) ?? [], stored.get(metric) ?? []);
    if (difference !== undefined) complain(`${metric}: ${difference}`);
  }
}

function readFile(file: string): Points {
  const bytes = readFileSync(file);
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  const [header, ...lines] = text.split(/\r?\n/);
  if (header !== "step,elapsed_ms,metric,value") throw new Error(`${file} has another header`);
  const points: Points = new Map();
  lines.forEach((line, index) => {
    if (line === "") return;
    const [step, elapsedMs, metric, value, ...more] = line.split(",") as [
      string,
      string,
      string,
      string,
    ];
    if (more.length > 0 || value === undefined)
      throw new Error(`${file}:${index + 2} is malformed`);
    // The first line after the header is row 1.
    const timestampMs = baseTimestampMs + (elapsedMs === "" ? index + 1 : Number(elapsedMs));
    add(points, metric, { step: Number(step), timestampMs, bits: bitsOf(Number(value)) });
  });
  return points;
}

/** Every point of an experiment; throws unless the stream is complete and its totals are right. */
async function readSeries(experimentId: string): Promise<Points> {
  const messageId = crypto.randomUUID();
  const event = "svc.v2.query.experimentseries";
  const data = { experimentId, filter: [], xAxis: "step" };
  const text = await post("/api/v2/query/series", { messageId, event, data });
  const records = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Envelope);
  const points: Points = new Map();
  let batches = 0;
  for (const record of records.slice(0, -1)) {
    if (record.correlationId !== messageId) throw new Error("a record of another query");
    if (record.event !== "svc.v2.query.series.data") continue;
    const {
      seriesName,
      metadata,
      data: columns,
    } = record.data as {
      seriesName: string;
      metadata: Record<string, string>;
      data: { step: number[]; timestampMs: number[]; value: number[] };
    };
    if (Object.keys(metadata).length > 0)
      throw new Error("a point has metadata, the files have none");
    batches++;
    columns.value.forEach((value, index) => {
      const step = columns.step[index];
      const timestampMs = columns.timestampMs[index];
      add(points, seriesName, { step, timestampMs, bits: bitsOf(value) });
    });
  }
  const last = records.at(-1);
  if (last?.event !== "svc.v2.query.experimentseries.done")
    throw new Error("the stream is incomplete");
  if (last.data["batches"] !== batches || last.data["points"] !== countOf(points)) {
    throw new Error(`the totals of the stream are wrong: ${JSON.stringify(last.data)}`);
  }
  return points;
}

/** Both sides sorted by everything that a point is; the first place where they part says enough. */
function compare(expected: Point[], stored: Point[]): string | undefined {
  if (expected.length !== stored.length) {
    return `${expected.length} rows in the file, ${stored.length} points stored`;
  }
  const sortedExpected = expected.toSorted(order);
  const sortedStored = stored.toSorted(order);
  const at = sortedExpected.findIndex((point, index) => order(point, sortedStored[index]) !== 0);
  if (at < 0) return undefined;
  return `expected ${show(sortedExpected[at])}, stored ${show(sortedStored[at])}`;
}

function order(left: Point, right: Point): number {
  const difference = left.step - right.step || left.timestampMs - right.timestampMs;
  if (difference !== 0 || left.bits === right.bits) return difference;
  return left.bits < right.bits ? -1 : 1;
}

function show({ step, timestampMs, bits }: Point): string {
  return `step ${step} at ${timestampMs} with value bits ${bits.toString(16).padStart(16, "0")}`;
}

function add(points: Points, metric: string, point: Point): void {
  const known = points.get(metric);
  if (known === undefined) points.set(metric, [point]);
  else known.push(point);
}

function countOf(points: Points): number {
  return [...points.values()].reduce((count, list) => count + list.length, 0);
}

function bitsOf(value: number): bigint {
  return new BigUint64Array(new Float64Array([value]).buffer)[0];
}

async function readFolder(path: string): Promise<Set<string>> {
  const tree = await ask("svc.v2.foldertree.read", {});
  let folder = tree.data as unknown as FolderNode | undefined;
  for (const name of path.split("/")) folder = folder?.folders.find((child) => child.name === name);
  if (folder === undefined) throw new Error(`there is no folder ${path}`);
  return new Set(folder.experiments.map((experiment) => experiment.slug));
}

async function ask(event: string, data: object): Promise<Envelope> {
  const text = await post("/api/v2/events", { messageId: crypto.randomUUID(), event, data });
  return JSON.parse(text) as Envelope;
}

async function post(path: string, body: object): Promise<string> {
  const response = await fetch(values.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${values["api-key"]}` },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
  return text;
}
