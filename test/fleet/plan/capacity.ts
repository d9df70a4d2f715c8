import type { Costs, Sending } from "../model/costs.ts";
import { type Machines, type Outcome, type Part, runFleet } from "../model/fleet.ts";

/** Requests under way, of few points and of many: enough for groups of all lanes. */
const clients = {
  few: { perNode: 400, leastPerNode: 10, perServer: 6_400 },
  many: { perNode: 32, leastPerNode: 1, perServer: 256 },
};
const experimentsPerNode = 400;
/** Busier than this, a part has no room left. */
const fullShare = 0.9;

export interface FleetShape {
  nodes: number;
  servers: number;
  sending: Sending;
  sealers: number;
  machines: Machines;
  costs: Costs;
  seed: number;
}

export interface Capacity {
  /** Points a second that are acknowledged, and that can be sealed as fast as they come. */
  takenPerS: number;
  sustainedPerS: number;
  /** The part that is full, and the one that limits sealing if that is slower. */
  limit: string;
  outcome: Outcome;
}

/** Runs a fleet with clients that send without a pause. */
export function capacityOf(shape: FleetShape): Capacity {
  const { nodes, sending } = shape;
  const kind = sending.pointsPerRequest < 100 ? clients.few : clients.many;
  const outcome = runFleet({
    ...shape,
    experiments: experimentsPerNode * nodes,
    isSticky: true,
    clients: { always: clientsFor(kind, shape) },
    ...spans(shape),
  });
  const takenPerS = outcome.pointsPerS;
  const isBehind =
    outcome.busy["sealing of a server"] > 0.8 && outcome.sealedPerS < 0.95 * takenPerS;
  return {
    takenPerS,
    sustainedPerS: isBehind ? Math.min(takenPerS, outcome.sealedPerS) : takenPerS,
    limit: isBehind ? "sealing of a server" : fullPart(outcome),
    outcome,
  };
}

/** More clients would only wait longer where there are few servers. */
function clientsFor(
  { perNode, leastPerNode, perServer }: (typeof clients)["few"],
  { nodes, servers }: FleetShape,
): number {
  return Math.max(leastPerNode * nodes, Math.min(perNode * nodes, perServer * servers));
}

/** A large fleet with many requests needs no long time: each of its nodes does the same. */
function spans({ nodes, sending }: FleetShape): { warmUpS: number; measuredS: number } {
  if (nodes >= 64) {
    return sending.pointsPerRequest < 100
      ? { warmUpS: 0.3, measuredS: 0.4 }
      : { warmUpS: 1, measuredS: 1 };
  }
  if (sending.pointsPerRequest >= 100) return { warmUpS: 3, measuredS: 3 };
  return nodes >= 8 ? { warmUpS: 1, measuredS: 1 } : { warmUpS: 1, measuredS: 4 };
}

/** The busiest part; where none is full, a node's commits do not follow each other faster. */
function fullPart({ busy }: Outcome): string {
  const parts = (Object.entries(busy) as [Part, number][]).filter(
    ([part]) => part !== "sealing of a server",
  );
  const [part, share] = parts.reduce((one, other) => (other[1] > one[1] ? other : one));
  return share >= fullShare ? part : "commits of a node";
}
