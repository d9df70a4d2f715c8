import { percentile } from "../bench/measure.ts";
import { organizations, Service, type ServiceOptions } from "../service.ts";
import type { Abuse } from "./abuse.ts";
import { type Acme, fillForReads } from "./acme.ts";
import { Neighbour, type Seen } from "./neighbour.ts";
import { limitsOf, Scene, type Size } from "./scene.ts";

export interface ArenaOptions {
  size: Size;
  databaseUrl?: string | undefined;
  /** The checkout that is attacked, when it is not this one. */
  checkout?: string;
}

export interface Result {
  violations: string[];
  notes: string[];
  /** Milliseconds of the neighbour's requests by kind, alone and attacked; in the whole form. */
  timings: Timing[];
}

export interface Timing {
  kind: string;
  aloneP99Ms: number;
  besideP99Ms: number;
  besideMaxMs: number;
}

/** It is one service with a second organization at work, beside which abuses run one by one. */
export class Arena implements AsyncDisposable {
  readonly #size: Size;
  readonly #service: Service;
  readonly #neighbour: Neighbour;
  readonly #databaseUrl: string | undefined;
  readonly #acme: () => Promise<Acme>;

  private constructor(options: ArenaOptions, service: Service, neighbour: Neighbour) {
    this.#size = options.size;
    this.#databaseUrl = options.databaseUrl;
    this.#service = service;
    this.#neighbour = neighbour;
    let acme: Promise<Acme> | undefined;
    this.#acme = () => (acme ??= fillForReads(service));
  }

  static async open(options: ArenaOptions): Promise<Arena> {
    const service = await Service.start(serviceOptions(options));
    try {
      const { baseUrl } = service;
      const { key } = organizations.rival;
      return new Arena(options, service, await Neighbour.start({ baseUrl, key, pauseMs: 10 }));
    } catch (error) {
      await service[Symbol.asyncDispose]();
      throw error;
    }
  }

  async run(abuse: Abuse): Promise<Result> {
    const scene = new Scene(this.#service, this.#size, {
      acme: this.#acme,
      databaseUrl: this.#databaseUrl,
    });
    const attack = await abuse.prepare(scene);
    const alone = await this.#neighbour.alone(this.#size === "short" ? 100 : 10_000);
    const { seen } = await this.#neighbour.during(() =>
      attack().catch((error: unknown) =>
        scene.violations.push(`the attack ended with ${String(error)}`),
      ),
    );
    const afterwards = await this.#neighbour.alone(100);
    for (const [kind, { failures }] of [...Object.entries(seen), ...Object.entries(afterwards)]) {
      if (failures.length === 0) continue;
      const count = failures.length;
      scene.violations.push(`the neighbour's ${kind} failed ${count} times: ${failures[0]}`);
    }
    const isMeasured = this.#size === "whole" && abuse.isTimed;
    const { violations, notes } = scene;
    return { violations, notes, timings: isMeasured ? timingsOf(alone, seen) : [] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#neighbour[Symbol.asyncDispose]();
    await this.#service[Symbol.asyncDispose]();
  }
}

function serviceOptions({ size, databaseUrl, checkout }: ArenaOptions): ServiceOptions {
  const { queueBytes, streams, connections, streamIdleMs, requestTimeoutMs } = limitsOf[size];
  const flags = {
    "--max-queue-bytes": queueBytes,
    "--max-streams": streams,
    "--max-connections": connections,
    "--stream-idle-ms": streamIdleMs,
    "--request-timeout-ms": requestTimeoutMs,
  };
  return {
    databaseUrl,
    people: true,
    // A hostile store stands for one that anybody could reach.
    allowPrivate: ["127.0.0.0/8"],
    flags: Object.entries(flags).flatMap(([flag, value]) => [flag, String(value)]),
    ...(checkout === undefined ? {} : { checkout }),
  };
}

function timingsOf(alone: Seen, beside: Seen): Timing[] {
  return Object.keys(beside).map((kind) => ({
    kind,
    aloneP99Ms: percentile(alone[kind].latenciesMs, 99),
    besideP99Ms: percentile(beside[kind].latenciesMs, 99),
    besideMaxMs: Math.max(...beside[kind].latenciesMs),
  }));
}
