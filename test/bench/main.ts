import { parseArgs } from "node:util";
import { Service } from "../service.ts";
import { installStores } from "../stores/install.ts";
import { startRadosgw } from "../stores/radosgw.ts";
import type { S3Store } from "../stores/store.ts";
import { compareWith } from "./against.ts";
import { Bench } from "./bench.ts";
import { measureConsole } from "./console.ts";
import { measureDeleting } from "./deleting.ts";
import { measureMlflow } from "./mlflow.ts";
import { comparePeers } from "./peers.ts";
import { measureReaders } from "./readers.ts";
import { measureSizing, sizingTable } from "./sizing.ts";
import { barTable } from "./table.ts";
import { measureViews, viewParts } from "./views.ts";
import { writeDown, writePartsDown } from "./written-down.ts";

const help = `npm run bench: what the service does in a second, against the floors of the same run.

  --events N      events in a round of W1 (default 200000)
  --rounds N      rounds of W1 with random ids into one experiment (default 5)
  --long          ten million random ids: 10 rounds of 1000000
  --mebibytes N   MiB of the files that eight clients push (default 1024)
  --stores        measures a real S3 store too: radosgw, whose Debian packages are installed if need be
  --no-metrics    artifacts alone
  --no-postgres   leaves PostgreSQL out
  --no-artifacts  metrics alone
  --write         writes what was measured into its part of docs/performance.md
  --against DIR   W1 and W2 alone, in turn with another checkout of this project (with its dependencies)
  --start         ready after a start, and memory at rest, alone
  --columns       points as columns beside the same as JSON alone
  --readers       short reads beside long ones alone, with --against in turn with another checkout:
                  --points N exported (default 10000000), --experiments N listed (default 100000)
  --views [PART…] what the pages ask for alone; with parts only these: overviews of --points, a table
                  of --experiments, curves in groups, a sweep beside so many, pages in a browser, compare and media there, ingest beside viewers, waits;
                  --keep DIR leaves the runs of groups, which take minutes to write, there for the next bench
  --console       a run's lines alone: sent, followed, printed; a log of --mebibytes read and searched
  --deleting      bytes that a purge gives back within a minute: half of 8 experiments of --points
  --mlflow        what MLflow's client waits for, here and at its own server; installs both from PyPI.
                  At most 4,000,000 --points of a run, 20,000 --experiments searched
  --sizing        what 5, 50 and 500 people at work cost one node: --people N,N for --seconds N each
                  (default 60), and what a million points take on disk
  --peers DIR     time to a curve and to a zoomed spike, in TensorBoard, in MLflow and here, with
                  the runs of a folder (.csv.gz); installs the peers from PyPI into node_modules/.cache
`;

/** An experiment of `--deleting` has no more: the points of other benches would take an hour. */
const deletedPointsMax = 200_000;
/** Defaults of --mlflow: more of either would show nothing new. */
const mlflowMax = { points: 4_000_000, runs: 20_000 };

const { values, positionals } = parseArgs({
  allowNegative: true,
  allowPositionals: true,
  options: {
    events: { type: "string", default: "200000" },
    rounds: { type: "string", default: "5" },
    long: { type: "boolean", default: false },
    mebibytes: { type: "string", default: "1024" },
    stores: { type: "boolean", default: false },
    metrics: { type: "boolean", default: true },
    postgres: { type: "boolean", default: true },
    artifacts: { type: "boolean", default: true },
    write: { type: "boolean", default: false },
    against: { type: "string" },
    start: { type: "boolean", default: false },
    columns: { type: "boolean", default: false },
    readers: { type: "boolean", default: false },
    views: { type: "boolean", default: false },
    keep: { type: "string" },
    console: { type: "boolean", default: false },
    deleting: { type: "boolean", default: false },
    mlflow: { type: "boolean", default: false },
    sizing: { type: "boolean", default: false },
    people: { type: "string", default: "5,50,500" },
    seconds: { type: "string", default: "60" },
    peers: { type: "string" },
    points: { type: "string", default: "10000000" },
    experiments: { type: "string", default: "100000" },
    help: { type: "boolean", default: false },
  },
});

if (positionals.length > 0 && !values.views)
  throw new Error(`What is ${positionals[0]}? See --help.`);
if (!values.help) {
  await compile();
  if (values.against !== undefined) await compile(values.against);
}
if (values.help) {
  console.log(help);
} else if (values.readers) {
  await measureReaders({
    checkout: values.against,
    points: Number(values.points),
    experiments: Number(values.experiments),
    rounds: Number(values.rounds),
    progress: (line) => console.log(line),
  });
} else if (values.views) {
  const figures = await measureViews({
    parts: viewParts(positionals),
    points: Number(values.points),
    experiments: Number(values.experiments),
    postgres: values.postgres,
    events: Number(values.events),
    rounds: Number(values.rounds),
    keep: values.keep,
    progress: (line) => console.log(line),
  });
  console.log(`\n${barTable(figures)}`);
  const command = ["npm run bench -- --views", ...positionals].join(" ");
  const how = `\`${command}\`, overviews of ${count(values.points)} points, a table of ${count(values.experiments)} experiments.`;
  if (values.write) writePartsDown("pages", how, figures);
} else if (values.console) {
  const [mebibytes, rounds] = [Number(values.mebibytes), Number(values.rounds)];
  const progress = (line: string) => console.log(line);
  const figures = await measureConsole({ mebibytes, rounds, progress });
  console.log(`\n${barTable(figures)}`);
  const how = `\`npm run bench -- --console\`, a log of ${count(mebibytes)} MiB.`;
  if (values.write) writeDown("console", how, figures);
} else if (values.deleting) {
  const points = Math.min(Number(values.points), deletedPointsMax);
  const progress = (line: string) => console.log(line);
  const figures = await measureDeleting({ points, experiments: 8, progress });
  console.log(`\n${barTable(figures)}`);
  const how = `\`npm run bench -- --deleting\`, half of 8 experiments of ${count(points)} points.`;
  if (values.write) writeDown("deleting", how, figures);
} else if (values.mlflow) {
  const points = Math.min(Number(values.points), mlflowMax.points);
  const runs = Math.min(Number(values.experiments), mlflowMax.runs);
  const figures = await measureMlflow({ points, runs, progress: (line) => console.log(line) });
  console.log(`\n${barTable(figures)}`);
  const how = `\`npm run bench -- --mlflow\`, a run of ${count(points)} points, ${count(runs)} runs searched.`;
  if (values.write) writeDown("mlflow", how, figures);
} else if (values.sizing) {
  const people = values.people.split(",").map(Number);
  const seconds = Number(values.seconds);
  const progress = (line: string) => console.log(line);
  const figures = await measureSizing({ people, seconds, postgres: values.postgres, progress });
  const table = sizingTable(figures);
  console.log(`\n${table}`);
  const how = `\`npm run bench -- --sizing\`, ${seconds} s for each team, on one node.`;
  if (values.write) writeDown("sizing", how, figures, table);
} else if (values.peers !== undefined) {
  const rounds = Number(values.rounds);
  await comparePeers({ runs: values.peers, rounds, progress: (line) => console.log(line) });
} else if (values.against !== undefined) {
  const { against: checkout, postgres } = values;
  const settings = { events: Number(values.events), rounds: Number(values.rounds) };
  for (const one of await compareWith({ checkout, postgres, ...settings })) {
    const { database, workload, oursPerSecond, othersPerSecond, rateRatio, cpuRatio } = one;
    const rates = `${Math.round(oursPerSecond)} and ${Math.round(othersPerSecond)} events/s`;
    console.log(
      `${database} ${workload}: ${rates}, ratio ${rateRatio.toFixed(3)}; processor time an event ${cpuRatio.toFixed(3)}`,
    );
  }
} else {
  const events = values.long ? 1_000_000 : Number(values.events);
  const rounds = values.long ? 10 : Number(values.rounds);
  const mebibytes = Number(values.mebibytes);
  const { columns, postgres, start } = values;
  const isPart = columns || start;
  const [metrics, artifacts] = isPart ? [false, false] : [values.metrics, values.artifacts];
  await using store = isPart ? undefined : await realStore();
  const measure = async (
    section: "columns" | "start" | "metrics" | "artifacts",
    how: string,
  ): Promise<void> => {
    const figures = await Bench.run({
      columns: section === "columns",
      start: section === "start",
      metrics: section === "metrics",
      artifacts: section === "artifacts",
      events,
      rounds,
      postgres,
      mebibytes,
      store,
      progress: (line) => console.log(line),
    });
    console.log(`\n${barTable(figures)}`);
    if (values.write) writeDown(section, how, figures);
  };
  if (start) await measure("start", "`npm run bench -- --start`, 7 starts.");
  if (columns)
    await measure(
      "columns",
      `\`npm run bench -- --columns\`, ${rounds} rounds of ${count(events)} events.`,
    );
  if (metrics)
    await measure("metrics", `\`npm run bench\`, ${rounds} rounds of ${count(events)} events.`);
  if (artifacts) {
    const real = store === undefined ? "without a real store" : "with radosgw as the real store";
    await measure("artifacts", `\`npm run bench -- --no-metrics --stores\`, ${real}.`);
  }
}

/** An orderly stop keeps what a start compiles, which takes memory of the service that does it. */
async function compile(checkout?: string): Promise<void> {
  await using service = await Service.start(checkout === undefined ? {} : { checkout });
  await service.stop();
}

/** Only when it is asked for: it wants packages of Debian, and some seconds to start. */
async function realStore(): Promise<(S3Store & AsyncDisposable) | undefined> {
  if (!values.artifacts) return undefined;
  const reason = values.stores
    ? installStores(["radosgw"]).get("radosgw")
    : "--stores measures it too";
  if (reason === undefined) return startRadosgw();
  console.log(`radosgw is left out: ${reason}`);
  return undefined;
}

function count(number: string | number): string {
  return Number(number).toLocaleString("en-US");
}
