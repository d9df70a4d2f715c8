import type { Costs, Sending } from "../model/costs.ts";
import type { Failure } from "../model/failures.ts";
import { type Machines, runFleet, type Second } from "../model/fleet.ts";
import { capacityOf } from "../plan/capacity.ts";
import { count, short, table } from "./table.ts";

const sending: Sending = { form: "events", pointsPerRequest: 20 };
const nodes = 2;
/** Share of the fleet's capacity that runs record at. */
const load = 0.5;
const atS = 5;
const measuredS = 40;

const cases: readonly { name: string; servers: number; failure: Failure }[] = [
  {
    name: "one of two nodes, back after 10 s",
    servers: 1,
    failure: { what: "node", number: 0, atS, awayS: 10 },
  },
  {
    name: "the only primary, its standby takes over after 10 s",
    servers: 1,
    failure: { what: "server", number: 0, atS, awayS: 10 },
  },
  {
    name: "one server of two, its standby takes over after 10 s",
    servers: 2,
    failure: { what: "server", number: 0, atS, awayS: 10 },
  },
  {
    name: "one server of two, after 30 s",
    servers: 2,
    failure: { what: "server", number: 0, atS, awayS: 30 },
  },
];

/** Runs record on when something dies, and send again with the same ids: how long they wait. */
export function failureTable(given: {
  costs: Costs;
  machines: Machines;
  sealers: number;
  seed: number;
}): string {
  const head = [
    "what dies",
    "points/s before",
    "the least second meanwhile",
    "longest wait s",
    "caught up after s",
    "requests sent again",
    "of them already stored",
  ];
  const rows = cases.map(({ name, servers, failure }) => {
    const capacity = capacityOf({ ...given, nodes, servers, sending }).sustainedPerS;
    const experiments = Math.round((load * capacity) / sending.pointsPerRequest);
    const seconds: Second[] = [];
    const outcome = runFleet({
      ...given,
      nodes,
      servers,
      sending,
      experiments,
      isSticky: true,
      clients: { everyS: 1 },
      warmUpS: 2,
      measuredS,
      failures: [failure],
      onSecond: (second) => seconds.push(second),
    });
    if (outcome.lost > 0) throw new Error("BUG: the model acknowledged what it did not store");
    const usual = experiments * sending.pointsPerRequest;
    return [
      name,
      count(Math.round(usual)),
      `${Math.round((100 * Math.min(...seconds.map(({ points }) => points))) / usual)} %`,
      short(outcome.longestS),
      caughtUpS(seconds, failure, 2),
      count(outcome.resends),
      count(outcome.repeats),
    ];
  });
  return table(head, rows);
}

/** Seconds from the return of what died until no more batches wait than before. */
function caughtUpS(
  seconds: readonly Second[],
  { atS: diesAtS, awayS }: Failure,
  warmUpS: number,
): string {
  const usual = Math.max(
    ...seconds.slice(0, diesAtS - warmUpS - 1).map((one) => one.waitingBatches),
  );
  const backAt = diesAtS + awayS - warmUpS;
  const found = seconds.findIndex(
    ({ second, waitingBatches }) => second >= backAt && waitingBatches <= usual * 1.5 + 10,
  );
  return found < 0 ? `more than ${measuredS - backAt}` : String(found + 1 - backAt);
}
