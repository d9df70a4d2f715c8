import { type Costs, requestS, type Sending } from "../model/costs.ts";
import { type Machines, type Outcome, runFleet } from "../model/fleet.ts";

/** A fleet is large enough when no part of it is busier than this. */
const busyMax = 0.6;
const triesMax = 12;

export interface Wanted {
  pointsPerS: number;
  sending: Sending;
  sealers: number;
  machines: Machines;
  costs: Costs;
  seed: number;
}

export interface FoundFleet {
  nodes: number;
  servers: number;
  outcome: Outcome;
}

/** The smallest fleet that takes so many points a second with room to spare: guessed, then run. */
export function fleetFor(wanted: Wanted): FoundFleet {
  let [nodes, servers] = [firstNodes(wanted), 1];
  for (let tried = 0; ; tried++) {
    const outcome = run(wanted, nodes, servers);
    const { busy } = outcome;
    const nodeBusy = Math.max(
      busy["main thread of a node"],
      busy["reader thread of a node"],
      busy["writer thread of a node"],
      busy["cores of a node"],
    );
    const serverBusy = Math.max(busy["cores of PostgreSQL"], busy["log disk of PostgreSQL"]);
    const sealingBusy = busy["sealing of a server"];
    if (tried === triesMax || Math.max(nodeBusy, serverBusy, sealingBusy) <= busyMax)
      return { nodes, servers, outcome };
    const before = nodes;
    if (nodeBusy > busyMax) nodes = grown(before, nodeBusy);
    if (serverBusy > busyMax) servers = grown(servers, serverBusy);
    else if (sealingBusy > busyMax) {
      // Another node seals, too, as long as there are slices for it.
      if (before < wanted.sealers * servers) nodes = Math.max(nodes, grown(before, sealingBusy));
      else servers = grown(servers, sealingBusy);
    }
    nodes = Math.max(nodes, servers);
  }
}

function run(wanted: Wanted, nodes: number, servers: number): Outcome {
  const { pointsPerS, sending } = wanted;
  const everyS = 1;
  const experiments = Math.max(1, Math.round((pointsPerS * everyS) / sending.pointsPerRequest));
  const fleet = { nodes, servers, isSticky: true, clients: { everyS }, warmUpS: 2, measuredS: 2 };
  return runFleet({ ...wanted, ...fleet, experiments });
}

function firstNodes({ pointsPerS, sending, costs }: Wanted): number {
  const mainS = (pointsPerS / sending.pointsPerRequest) * requestS(costs.main, sending);
  return Math.max(1, Math.ceil(mainS / busyMax));
}

/** In proportion, and one more at least. */
function grown(count: number, busy: number): number {
  return Math.max(count + 1, Math.ceil((count * Math.min(busy, 1.2)) / busyMax));
}
