import { parseArgs } from "node:util";
import { dateAndMachine, replacePart } from "../bench/written-down.ts";
import { keepMeasured, readMeasured } from "./measured.ts";
import type { Sending } from "./model/costs.ts";
import { assumedMachines } from "./plan/assumed-machines.ts";
import { capacityOf } from "./plan/capacity.ts";
import { fleetFor } from "./plan/fleet-for.ts";
import { withPrices } from "./plan/prices.ts";
import { calibrate, medianError } from "./real/calibrate.ts";
import { measureCosts } from "./real/measure-costs.ts";
import { calibrationTable } from "./tables/calibration-table.ts";
import { capacityTable, sendings } from "./tables/capacity-tables.ts";
import { amountTable, priceTable, rateTable } from "./tables/cost-tables.ts";
import { failureTable } from "./tables/failure-table.ts";
import { measuredTable } from "./tables/measured-table.ts";

const help = `npm run simulate: what a fleet of nodes and PostgreSQL servers would do, event by event, with the
service times of test/fleet/measured.json. docs/scale.md says what is computed and what was measured.

  --nodes N --servers N  one fleet, and what is full in it (default 4 nodes, 1 server)
  --rate N               the smallest fleet for so many points a second with room to spare
  --points N             points of a request (default 20)
  --columns              points are sent as columns, else as events
  --sealers N            nodes that seal the points of a server at once, each in one thread, at most
                         (default 8, as the service has slices)
  --tables               every table of docs/scale.md that is computed; takes some minutes
  --only TEXT            with --tables: those of sections with this text in their names
  --measure              service times of the real program, some minutes: --rounds N of each
                         load (default 2), the cheapest counts
  --calibrate            1, 2 and 4 nodes of the real program on this machine beside the model
  --write                with --tables or --calibrate: writes them to docs/scale.md;
                         with --measure: to test/fleet/measured.json

Machines: --node-cores N, --server-cores N, --sync-ms N, --log-mb N (MB/s of the disk of PostgreSQL's
log), --network-ms N (a round trip), --put-ms N (a PUT of the object store). --seed N repeats a run.
--price NAME=DOLLARS changes a price, and may stand more than once.
`;

const page = "docs/scale.md";
const { values } = parseArgs({
  options: {
    nodes: { type: "string", default: "4" },
    servers: { type: "string", default: "1" },
    rate: { type: "string" },
    points: { type: "string", default: "20" },
    sealers: { type: "string", default: "8" },
    columns: { type: "boolean", default: false },
    tables: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    measure: { type: "boolean", default: false },
    rounds: { type: "string", default: "2" },
    calibrate: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    "node-cores": { type: "string" },
    "server-cores": { type: "string" },
    "sync-ms": { type: "string" },
    "log-mb": { type: "string" },
    "network-ms": { type: "string" },
    "put-ms": { type: "string" },
    price: { type: "string", multiple: true, default: [] },
    seed: { type: "string", default: "1" },
    help: { type: "boolean", default: false },
  },
});

const progress = (line: string): void => console.log(line);
if (values.help) console.log(help);
else if (values.measure) await measure();
else if (values.calibrate) await compareWithReal();
else if (values.tables) printTables();
else printOne();

async function measure(): Promise<void> {
  const costs = await measureCosts(Number(values.rounds), progress);
  console.log(measuredTable(costs));
  if (values.write) keepMeasured(costs, dateAndMachine());
}

async function compareWithReal(): Promise<void> {
  const { costs, seed } = settings();
  const comparisons = await calibrate(costs, progress);
  const error = Math.round(100 * medianError(comparisons));
  const { on, where } = dateAndMachine();
  const how = `Measured on ${on}, ${where}: \`npm run simulate -- --calibrate\`, seed ${seed}.`;
  const text = `${how} The median error of the rates is ${error} %.\n\n${calibrationTable(comparisons)}`;
  console.log(text);
  if (values.write) replacePart(page, "calibration", text);
}

function printTables(): void {
  const given = settings();
  const { on, where } = readMeasured()["npm run simulate -- --measure"];
  const parts: [section: string, text: () => string][] = [
    ["service times", () => `Measured on ${on}, ${where}.\n\n${measuredTable(given.costs)}`],
    ...sendings.map(({ name, sending }): [string, () => string] => [
      name,
      () => capacityTable(sending, given, progress),
    ]),
    ["failures", () => failureTable(given)],
    ...sendings
      .slice(1)
      .map(({ name, sending }): [string, () => string] => [
        `a month, ${name}`,
        () => rateTable(sending, given, progress),
      ]),
    ["stored points", () => amountTable(given)],
    ["prices", () => priceTable(given.prices)],
  ];
  for (const [section, text] of parts.filter(([name]) => name.includes(values.only))) {
    const made = text();
    console.log(`\n${section}\n\n${made}`);
    if (values.write) replacePart(page, section, made);
  }
}

function printOne(): void {
  const given = settings();
  const sending: Sending = {
    form: values.columns ? "columns" : "events",
    pointsPerRequest: positive("points"),
  };
  if (values.rate !== undefined) {
    const { nodes, servers, outcome } = fleetFor({
      ...given,
      sending,
      pointsPerS: positive("rate"),
    });
    console.log({ nodes, servers, ...outcome });
    return;
  }
  const shape = { nodes: positive("nodes"), servers: positive("servers"), sending };
  console.log(capacityOf({ ...given, ...shape }));
}

function settings() {
  const measured = readMeasured();
  return {
    costs: measured["npm run simulate -- --measure"].costs,
    sealedBytes: measured["npm run bench"].sealedBytes,
    prices: withPrices(values.price),
    seed: positive("seed"),
    sealers: positive("sealers"),
    machines: {
      nodeCores: positive("node-cores", assumedMachines.nodeCores),
      serverCores: positive("server-cores", assumedMachines.serverCores),
      syncS: positive("sync-ms", assumedMachines.syncS * 1e3) / 1e3,
      logBytesPerS: positive("log-mb", assumedMachines.logBytesPerS / 1e6) * 1e6,
      networkS: positive("network-ms", assumedMachines.networkS * 1e3) / 1e3,
      putS: positive("put-ms", assumedMachines.putS * 1e3) / 1e3,
    },
  };
}

function positive(name: keyof typeof values, byDefault?: number): number {
  const number = values[name] === undefined ? byDefault : Number(values[name]);
  if (number === undefined || !(number > 0)) throw new Error(`--${name} has to be above 0.`);
  return number;
}
