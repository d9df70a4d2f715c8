import { setTimeout as sleep } from "node:timers/promises";
import type { Journal } from "../crash/journal.ts";
import type { Target } from "../crash/load.ts";
import { openTarget } from "../crash/open-target.ts";
import { call, type JsonObject, parseObject } from "../http.ts";
import { organizations } from "../service.ts";

const openEveryMs = 1_000;
const tableEveryMs = 500;
/** Time for openings that are not yet acknowledged when all servers are in order again. */
const patienceMs = 60_000;

export interface BesideParts {
  baseUrl: string;
  journal: Journal;
  /** Number of the first experiment that is opened. */
  from: number;
  /** How many have come so far, by name. */
  counted: ReadonlyMap<string, () => number>;
  /** Takes an opened experiment under load. */
  opened: (target: Target) => Promise<void>;
  violations: string[];
}

/** An opening, on the clock of `performance`. */
export interface Opening {
  number: number;
  beganMs: number;
  /** Refusals before it was acknowledged. */
  refusals: number;
  acknowledgedMs?: number;
}

/**
 * All that has to go on while a worker is away, counted: points and reads of experiments elsewhere,
 * openings, tables.
 */
export class Beside {
  readonly openings: Opening[] = [];
  readonly #parts: BesideParts;
  readonly #counted: ReadonlyMap<string, () => number>;
  readonly #opening: Promise<void>[] = [];
  readonly #running: Promise<void>[];
  readonly #longestMs = new Map<string, number>();
  #tables = 0;
  #opened = 0;
  #isRunning = true;

  constructor(parts: BesideParts) {
    this.#parts = parts;
    this.#counted = new Map([
      ...parts.counted,
      ["openings", () => this.#opened],
      ["tables", () => this.#tables],
    ]);
    this.#running = [this.#watch(), this.#open(), this.#readTables()];
  }

  /** Resolves when each of what is counted has come so many more times. */
  async more(count: number): Promise<void> {
    const wanted = Array.from(this.#counted.values(), (countOf) => ({
      countOf,
      atLeast: countOf() + count,
    }));
    while (wanted.some(({ countOf, atLeast }) => countOf() < atLeast)) await sleep(10);
  }

  /** Returns the longest time without one since the last call, by what is counted. */
  takeLongest(): Map<string, number> {
    const taken = new Map(this.#longestMs);
    this.#longestMs.clear();
    return taken;
  }

  /** Resolves when every opening is acknowledged, or is a violation. */
  async end(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#running);
    await Promise.all(this.#opening);
  }

  async #watch(): Promise<void> {
    const all = Array.from(this.#counted, ([name, countOf]) => {
      return { name, countOf, count: countOf(), sinceMs: performance.now() };
    });
    while (this.#isRunning) {
      await sleep(50);
      const nowMs = performance.now();
      for (const one of all) {
        const { name, sinceMs } = one;
        this.#longestMs.set(name, Math.max(nowMs - sinceMs, this.#longestMs.get(name) ?? 0));
        const count = one.countOf();
        if (count > one.count) Object.assign(one, { count, sinceMs: nowMs });
      }
    }
  }

  /** Begins one every second, whether or not those before are answered. */
  async #open(): Promise<void> {
    for (let number = this.#parts.from; this.#isRunning; number++) {
      this.#opening.push(this.#openOne(number));
      await sleep(openEveryMs);
    }
  }

  /** As a client does: again until it is acknowledged. */
  async #openOne(number: number): Promise<void> {
    const { opened, violations } = this.#parts;
    const opening: Opening = { number, beganMs: performance.now(), refusals: 0 };
    this.openings.push(opening);
    const target = await this.#acknowledged(opening);
    if (target === undefined) {
      violations.push(`experiment ${number} was not opened by ${opening.refusals} tries`);
      return;
    }
    opening.acknowledgedMs = performance.now();
    this.#opened++;
    await opened(target);
  }

  async #acknowledged(opening: Opening): Promise<Target | undefined> {
    const { baseUrl, journal } = this.#parts;
    for (let endMs = Infinity; performance.now() < endMs;) {
      try {
        return await openTarget(baseUrl, journal, opening.number);
      } catch {
        opening.refusals++;
        await sleep(500);
        if (!this.#isRunning && endMs === Infinity) endMs = performance.now() + patienceMs;
      }
    }
    return undefined;
  }

  async #readTables(): Promise<void> {
    const { baseUrl, violations } = this.#parts;
    const path = "/api/views/v1/experiments";
    const credential = organizations.acme.key;
    while (this.#isRunning) {
      const reply = await call(baseUrl, { path, credential, body: { limit: 50 } });
      if (reply.status !== 200)
        violations.push(`a table was answered with ${reply.status}: ${reply.text.slice(0, 300)}`);
      else if ((parseObject(reply.text).rows as JsonObject[]).length === 0)
        violations.push("a table has no rows");
      else this.#tables++;
      await sleep(tableEveryMs);
    }
  }
}
