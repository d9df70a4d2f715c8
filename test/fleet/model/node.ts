import { Batcher } from "../engine/batcher.ts";
import type { Cores } from "../engine/cores.ts";
import type { Simulation } from "../engine/simulation.ts";
import { Thread } from "../engine/thread.ts";
import { type Costs, requestS, type Sending } from "./costs.ts";
import { Lane, type Waiting } from "./lane.ts";
import type { DatabaseServer } from "./database-server.ts";
import type { Answer, Request } from "./request.ts";

/** Parts of the main thread's work on a request before its token is known, and for its reply. */
const mainShares = { head: 0.3, reply: 0.3 };
/** Reads of tokens under way at once. */
const readsAtOnce = 2;
/** `--max-queue-bytes`. */
const queueBytesMax = 256 * 2 ** 20;

export interface NodeSettings {
  cores: Cores;
  costs: Costs;
  sending: Sending;
  servers: readonly DatabaseServer[];
  /** A round trip of the network to PostgreSQL, beyond that of one machine. */
  networkS: number;
  serverOf: (experiment: number) => number;
  /** Called when points are in a log, from which they are sealed later. */
  onStored: (server: number, experiments: readonly number[], points: number) => void;
}

/** One process of the service: its threads, and a lane to each PostgreSQL. */
export class FleetNode {
  readonly main: Thread;
  readonly reader: Thread;
  readonly writer: Thread;
  readonly background: Thread;
  readonly cores: Cores;
  readonly #simulation: Simulation;
  readonly #settings: NodeSettings;
  #life: Life;
  #queueBytes = 0;
  #collectorS = 0;
  /** Since the start of the simulation, over all lives. */
  readonly counts = { groups: 0, requests: 0 };

  constructor(simulation: Simulation, settings: NodeSettings) {
    this.#simulation = simulation;
    this.#settings = settings;
    this.cores = settings.cores;
    this.main = new Thread(settings.cores);
    this.reader = new Thread(settings.cores);
    this.writer = new Thread(settings.cores);
    this.background = new Thread(settings.cores);
    this.#life = this.#begun();
  }

  get isUp(): boolean {
    return this.#life.isUp;
  }

  /** Seconds of processors, whoever else uses the same ones. */
  get usedS(): number {
    const threads = [this.main, this.reader, this.writer, this.background];
    return threads.reduce((sum, { usedS }) => sum + usedS, this.#collectorS);
  }

  receive(request: Request, answer: (answer: Answer) => void): void {
    const life = this.#life;
    if (this.#queueBytes + request.bytes > queueBytesMax) return answer("busy");
    this.#queueBytes += request.bytes;
    const settle = (found: Answer): void => {
      if (!life.open.delete(broken)) return;
      this.#queueBytes -= request.bytes;
      answer(found);
    };
    const broken = (): void => settle("broken");
    life.open.add(broken);
    const { costs, sending } = this.#settings;
    const headS = (mainShares.head * costs.main.requestUs) / 1e6;
    const replyS = (mainShares.reply * costs.main.requestUs) / 1e6;
    const bodyS = requestS(costs.main, sending) - headS - replyS;
    const collectorS = requestS(costs.collector, sending);
    this.cores.use({
      seconds: collectorS,
      done: () => (this.#collectorS += collectorS),
    });
    const refuse = (): void => this.main.run(replyS, () => settle("busy"));
    this.main.run(headS, () =>
      life.look(this.#settings.serverOf(request.experiment), (isKnown) => {
        if (!isKnown) return refuse();
        this.main.run(bodyS, () =>
          life.lanes[this.#settings.serverOf(request.experiment)].add({
            request,
            answered: (isStored) =>
              isStored ? this.main.run(replyS, () => settle("stored")) : refuse(),
          }),
        );
      }),
    );
  }

  /** `kill -9`: whoever waits hears nothing; PostgreSQL goes on with a commit that it has. */
  kill(): void {
    const { open } = this.#life;
    this.#life = { ...this.#begun(), isUp: false };
    for (const broken of open) broken();
  }

  restart(): void {
    this.#life = this.#begun();
  }

  #begun(): Life {
    const { servers } = this.#settings;
    const life: Life = {
      isUp: true,
      open: new Set(),
      lanes: servers.map((server, number) => this.#lane(() => life === this.#life, server, number)),
      look: (server, done) => looks[server].add(done),
    };
    const looks = servers.map((server) => this.#lookUps(() => life === this.#life, server));
    return life;
  }

  #lane(isAlive: () => boolean, server: DatabaseServer, number: number): Batcher<Waiting> {
    const { costs, networkS, onStored } = this.#settings;
    const lane = new Lane(this.#simulation, { writer: this.writer, server, costs, networkS });
    return lane.batcher(isAlive, (group, experiments, points) => {
      this.counts.groups++;
      this.counts.requests += group.length;
      onStored(number, experiments, points);
    });
  }

  /** Tokens of the requests that arrived meanwhile are looked up in one read. */
  #lookUps(isAlive: () => boolean, server: DatabaseServer): Batcher<(isKnown: boolean) => void> {
    const { costs, networkS } = this.#settings;
    return new Batcher({
      atOnce: readsAtOnce,
      weightMax: 100,
      weightOf: () => 1,
      serve: (batch, done) => {
        if (!isAlive()) return;
        const { readUs, requestUs } = costs.reader;
        this.reader.run((readUs + requestUs * batch.length) / 1e6, () =>
          this.#simulation.after(networkS, () =>
            server.work(costs.server.readUs / 1e6, (isDone) => {
              if (!isAlive()) return;
              done();
              for (const settle of batch) settle(isDone);
            }),
          ),
        );
      },
    });
  }
}

/** From a start to the next failure. */
interface Life {
  isUp: boolean;
  /** Called when the node dies: each is of a request that waits for an answer. */
  open: Set<() => void>;
  lanes: Batcher<Waiting>[];
  look: (server: number, done: (isKnown: boolean) => void) => void;
}
