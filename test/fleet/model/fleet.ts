import { Random } from "../../random.ts";
import { Cores } from "../engine/cores.ts";
import { runOtherWork } from "../engine/other-work.ts";
import { Simulation } from "../engine/simulation.ts";
import { Thread } from "../engine/thread.ts";
import { Balancer } from "./balancer.ts";
import { Client, type ClientSettings, Received } from "./clients.ts";
import { type Costs, requestBytes, requestS, type Sending } from "./costs.ts";
import { DatabaseServer } from "./database-server.ts";
import { fail, type Failure } from "./failures.ts";
import { FleetNode } from "./node.ts";
import { Sealing } from "./sealing.ts";

export interface FleetSettings {
  costs: Costs;
  nodes: number;
  /** PostgreSQL servers that hold experiments. 1 is what exists today. */
  servers: number;
  machines: Machines;
  sending: Sending;
  /** Nodes that seal the points of a server at once, at most: 8, as the service has slices. */
  sealers?: number;
  experiments: number;
  /** A number of clients that send without a pause, or each experiment a batch every so often. */
  clients: { always: number } | { everyS: number };
  /** All requests of an experiment go to one node; otherwise to each in turn. */
  isSticky?: boolean;
  /** Seconds before the figures begin, and seconds of the figures. */
  warmUpS: number;
  measuredS: number;
  seed: number;
  failures?: readonly Failure[];
  /** Reports at each of these moments; the figures since the one before. */
  onSecond?: (second: Second) => void;
}

export interface Machines {
  nodeCores: number;
  serverCores: number;
  /** The disk of PostgreSQL's log. */
  syncS: number;
  logBytesPerS: number;
  /** A round trip between two machines. */
  networkS: number;
  /** A PUT of a sealed object; 0 without `--segments`. */
  putS: number;
  /** All of it, with the clients, is on one machine, whose cores other programs use, too. */
  together?: { cores: number; othersCores: number };
}

export interface Second {
  second: number;
  points: number;
  longestS: number;
  waitingBatches: number;
}

/** Parts of a fleet, and the share of the time in which the busiest of each kind was busy. */
export type Part =
  | "main thread of a node"
  | "reader thread of a node"
  | "writer thread of a node"
  | "cores of a node"
  | "sealing of a server"
  | "cores of PostgreSQL"
  | "log disk of PostgreSQL";

export interface Outcome {
  pointsPerS: number;
  p50S: number;
  p99S: number;
  longestS: number;
  requestsPerGroup: number;
  busy: Record<Part, number>;
  /** Points a second that were sealed, and that were not by the end. */
  sealedPerS: number;
  unsealedPerS: number;
  logBytesPerS: number;
  resends: number;
  repeats: number;
  lost: number;
  waitingBatches: number;
  measuredS: number;
  /** Seconds of processors that all nodes, and all servers, used. */
  usedS: { nodes: number; servers: number };
}

/** Runs a fleet for some seconds of its own time. The same settings give the same figures. */
/** Each node seals in one thread, and shares its time out among few servers. */
function sealersOf({ nodes, servers, sealers = 8 }: FleetSettings): number {
  return Math.max(1, Math.min(sealers, Math.floor(nodes / servers)));
}

export function runFleet(settings: FleetSettings): Outcome {
  const fleet = new Fleet(settings);
  return fleet.run();
}

class Fleet {
  readonly #settings: FleetSettings;
  readonly #simulation = new Simulation();
  readonly #random: Random;
  readonly #servers: DatabaseServer[];
  readonly #nodes: FleetNode[];
  readonly #sealings: Sealing[];
  readonly #received = new Received();
  readonly #clients: Client[];

  constructor(settings: FleetSettings) {
    const { machines, costs, sending } = settings;
    const sealers = sealersOf(settings);
    this.#settings = settings;
    const random = new Random(settings.seed);
    this.#random = random;
    const together = machines.together && new Cores(this.#simulation, machines.together.cores);
    if (together !== undefined)
      runOtherWork(this.#simulation, together, machines.together!.othersCores);
    const coresOf = (count: number): Cores => together ?? new Cores(this.#simulation, count);
    const { syncS, logBytesPerS, networkS, putS } = machines;
    this.#servers = Array.from({ length: settings.servers }, () => {
      const cores = coresOf(machines.serverCores);
      return new DatabaseServer(this.#simulation, { cores, random, syncS, logBytesPerS });
    });
    const nodeSettings = {
      costs,
      sending,
      networkS,
      servers: this.#servers,
      // An experiment is placed on the server with the least, whichever node it talks to.
      serverOf: (experiment: number) =>
        (experiment + Math.floor(experiment / settings.nodes)) % settings.servers,
      onStored: (server: number, changed: readonly number[], points: number) =>
        this.#sealings[server * sealers + (changed[0] % sealers)].add(changed, points),
    };
    this.#nodes = Array.from(
      { length: settings.nodes },
      () =>
        new FleetNode(this.#simulation, { ...nodeSettings, cores: coresOf(machines.nodeCores) }),
    );
    this.#sealings = this.#servers.flatMap((server, number) =>
      Array.from({ length: sealers }, (_, sealer) => {
        const holder = () => this.#holderOf(number * sealers + sealer);
        return new Sealing(this.#simulation, { server, costs, putS, holder });
      }),
    );
    this.#clients = this.#makeClients(together);
  }

  run(): Outcome {
    const { warmUpS, measuredS, clients, failures = [], experiments } = this.#settings;
    for (const [number, client] of this.#clients.entries()) {
      if ("always" in clients) client.sendAlways();
      else client.sendEvery(clients.everyS, (clients.everyS * number) / experiments);
    }
    for (const failure of failures)
      fail(this.#simulation, failure, { nodes: this.#nodes, servers: this.#servers });
    this.#simulation.runUntil(warmUpS);
    this.#received.restart();
    const before = this.#used();
    if (this.#settings.onSecond === undefined) this.#simulation.runUntil(warmUpS + measuredS);
    else this.#runBySeconds(this.#settings.onSecond);
    return this.#outcome(before, this.#used());
  }

  #runBySeconds(onSecond: (second: Second) => void): void {
    const { warmUpS, measuredS } = this.#settings;
    for (let second = 0; second < measuredS; second++) {
      const points = this.#received.points;
      this.#received.longestOfSecondS = 0;
      this.#simulation.runUntil(warmUpS + second + 1);
      onSecond({
        second,
        points: this.#received.points - points,
        longestS: this.#received.longestOfSecondS,
        waitingBatches: this.#waitingBatches(),
      });
    }
  }

  #makeClients(together: Cores | undefined): Client[] {
    const { costs, sending, experiments, clients, nodes, machines, isSticky } = this.#settings;
    const balancer = new Balancer(this.#simulation, this.#nodes, {
      networkS: machines.networkS,
      isSticky,
    });
    const points = sending.pointsPerRequest;
    const settings: ClientSettings = {
      send: (request, answer) => balancer.send(request, answer),
      random: this.#random,
      points,
      bytes: requestBytes(costs, sending),
    };
    const requestCostS = requestS(costs.client, sending);
    // The calibration has a generator for each node.
    const threads = together && Array.from({ length: nodes }, () => new Thread(together));
    const count = "always" in clients ? clients.always : experiments;
    return Array.from({ length: count }, (_, number) => {
      const work = threads && { thread: threads[number % nodes], requestS: requestCostS };
      const experiment = number % experiments;
      return new Client(this.#simulation, { ...settings, work }, this.#received, experiment);
    });
  }

  /** The next one in turn that is up takes the lease over. */
  #holderOf(lease: number): FleetNode | undefined {
    for (let next = 0; next < this.#nodes.length; next++) {
      const node = this.#nodes[(lease + next) % this.#nodes.length];
      if (node.isUp) return node;
    }
    return undefined;
  }

  #waitingBatches(): number {
    return this.#clients.reduce((sum, { waiting }) => sum + waiting, 0);
  }

  #used(): Used {
    const sum = (values: number[]): number => values.reduce((total, one) => total + one, 0);
    return {
      busyS: {
        "main thread of a node": this.#nodes.map(({ main }) => main.usedS),
        "reader thread of a node": this.#nodes.map(({ reader }) => reader.usedS),
        "writer thread of a node": this.#nodes.map(({ writer }) => writer.usedS),
        "cores of a node": this.#nodes.map(({ cores }) => cores.usedS / cores.count),
        "sealing of a server": this.#sealings.map(({ busyS }) => busyS),
        "cores of PostgreSQL": this.#servers.map(({ cores }) => cores.usedS / cores.count),
        "log disk of PostgreSQL": this.#servers.map(({ flushS }) => flushS),
      },
      groups: sum(this.#nodes.map(({ counts }) => counts.groups)),
      requests: sum(this.#nodes.map(({ counts }) => counts.requests)),
      sealed: sum(this.#sealings.map(({ sealedPoints }) => sealedPoints)),
      nodesS: sum(this.#nodes.map(({ usedS }) => usedS)),
      serversS: sum(this.#servers.map(({ usedS }) => usedS)),
      unsealed: sum(this.#sealings.map(({ waitingPoints }) => waitingPoints)),
      logBytes: sum(this.#servers.map((server) => server.logBytes)),
    };
  }

  #outcome(before: Used, after: Used): Outcome {
    const { measuredS } = this.#settings;
    const { waits, points, resends, repeats, lost } = this.#received;
    const busy = Object.entries(after.busyS).map(([part, used]) => {
      const shares = used.map((seconds, at) => seconds - before.busyS[part as Part][at]);
      return [part, Math.max(...shares) / measuredS];
    });
    return {
      pointsPerS: points / measuredS,
      p50S: waits.percentileS(50),
      p99S: waits.percentileS(99),
      longestS: waits.longestS,
      requestsPerGroup: (after.requests - before.requests) / (after.groups - before.groups),
      busy: Object.fromEntries(busy) as Record<Part, number>,
      sealedPerS: (after.sealed - before.sealed) / measuredS,
      unsealedPerS: (after.unsealed - before.unsealed) / measuredS,
      logBytesPerS: (after.logBytes - before.logBytes) / measuredS,
      resends,
      repeats,
      lost,
      waitingBatches: this.#waitingBatches(),
      measuredS,
      usedS: {
        nodes: after.nodesS - before.nodesS,
        servers: after.serversS - before.serversS,
      },
    };
  }
}

interface Used {
  busyS: Record<Part, number[]>;
  groups: number;
  requests: number;
  sealed: number;
  unsealed: number;
  logBytes: number;
  nodesS: number;
  serversS: number;
}
