import type { Simulation } from "../engine/simulation.ts";

/** Something that dies at a moment and is back after some seconds. */
export interface Failure {
  what: "node" | "server";
  number: number;
  atS: number;
  /** A node's restart; a server's time until a standby has taken over and accepts writes. */
  awayS: number;
}

interface Mortal {
  kill(): void;
  restart(): void;
}

export function fail(
  simulation: Simulation,
  { what, number, atS, awayS }: Failure,
  parts: { nodes: readonly Mortal[]; servers: readonly Mortal[] },
): void {
  const part = (what === "node" ? parts.nodes : parts.servers)[number];
  if (part === undefined) throw new Error(`There is no ${what} ${number}.`);
  simulation.after(atS, () => part.kill());
  simulation.after(atS + awayS, () => part.restart());
}
