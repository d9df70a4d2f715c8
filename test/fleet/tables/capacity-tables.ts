import type { Costs, Sending } from "../model/costs.ts";
import type { Machines } from "../model/fleet.ts";
import { type Capacity, capacityOf } from "../plan/capacity.ts";
import { short, table } from "./table.ts";

export const sendings: readonly { name: string; sending: Sending }[] = [
  { name: "events, 20 points a request", sending: { form: "events", pointsPerRequest: 20 } },
  {
    name: "columns, 10,000 points a request",
    sending: { form: "columns", pointsPerRequest: 10_000 },
  },
];

const nodeCounts = [1, 2, 4, 8, 16, 32, 64, 128, 256];
const serverCounts = [1, 4, 16, 64];
const words: Record<string, string> = {
  "main thread of a node": "main",
  "reader thread of a node": "reader",
  "writer thread of a node": "writer",
  "cores of a node": "cores",
  "sealing of a server": "sealing",
  "cores of PostgreSQL": "PostgreSQL",
  "log disk of PostgreSQL": "log disk",
  "commits of a node": "commits",
};

/** Millions of points a second by numbers of nodes and of servers, and the part that is full. */
export function capacityTable(
  sending: Sending,
  given: { costs: Costs; machines: Machines; sealers: number; seed: number },
  progress: (line: string) => void,
): string {
  const rows = nodeCounts.map((nodes) => {
    const cells = serverCounts.map((servers) => {
      // A server without a node of its own gets no more: fewer servers already wait for the nodes.
      if (servers > nodes) return "";
      const cell = cellOf(capacityOf({ ...given, nodes, servers, sending }));
      progress(`nodes: ${nodes}, servers: ${servers}: ${cell}`);
      return cell;
    });
    return [String(nodes), ...cells];
  });
  return table(["nodes", "one primary", ...serverCounts.slice(1).map((n) => `${n} servers`)], rows);
}

function cellOf({ takenPerS, sustainedPerS, limit }: Capacity): string {
  const taken = `${short(takenPerS / 1e6)} ${words[limit]}`;
  if (sustainedPerS >= takenPerS) return taken;
  return `${short(sustainedPerS / 1e6)} ${words[limit]} (${short(takenPerS / 1e6)})`;
}
