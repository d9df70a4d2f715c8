import type { Simulation } from "../engine/simulation.ts";
import type { FleetNode } from "./node.ts";
import type { Answer, Request } from "./request.ts";

export interface BalancerSettings {
  networkS: number;
  /** An experiment begins at a node of its own, else each request at the next one. */
  isSticky: boolean | undefined;
}

/** Gives requests to nodes; one that refuses connections is passed over. */
export class Balancer {
  readonly #simulation: Simulation;
  readonly #nodes: readonly FleetNode[];
  readonly #settings: BalancerSettings;
  #turn = 0;

  constructor(simulation: Simulation, nodes: readonly FleetNode[], settings: BalancerSettings) {
    this.#simulation = simulation;
    this.#nodes = nodes;
    this.#settings = settings;
  }

  send(request: Request, answer: (answer: Answer) => void): void {
    const oneWayS = this.#settings.networkS / 2;
    this.#simulation.after(oneWayS, () => {
      const node = this.#firstUp(this.#settings.isSticky ? request.experiment : this.#turn++);
      const back = (found: Answer): void => this.#simulation.after(oneWayS, () => answer(found));
      if (node === undefined) back("busy");
      else node.receive(request, back);
    });
  }

  #firstUp(first: number): FleetNode | undefined {
    for (let tried = 0; tried < this.#nodes.length; tried++) {
      const node = this.#nodes[(first + tried) % this.#nodes.length];
      if (node.isUp) return node;
    }
    return undefined;
  }
}
