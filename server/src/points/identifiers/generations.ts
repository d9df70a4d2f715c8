import { counterOf } from "./counter.ts";
import type { CounterRun } from "./counter-run.ts";
import { RecentCounters } from "./recent-counters.ts";
import { RecentIdentifiers } from "./recent.ts";

/** A generation with this many is closed for new identifiers; sealing then frees it whole. */
const identifiersPerGeneration = 262_144;
const counterMark = 0xffff_ffff;
/**
 * Counters that have to follow each other in one batch before a run begins: others cost less in the
 * table, and no client can make many runs of few points.
 */
const followingMin = 16;

/**
 * The identifiers of log records that are not sealed yet, in generations by log sequence, each with
 * the fingerprint of its payload. `open` returns the view through which one batch or record is
 * looked up and added.
 */
export class Generations {
  #list: Generation[] = [newGeneration()];

  get bytes(): number {
    return this.#list.reduce(
      (sum, { table, prefixes, counters, inRuns }) =>
        sum + table.bytes + 100 * prefixes.size + 1_024 * counters.size + 8 * inRuns,
      0,
    );
  }

  open(prefixes: readonly string[]): RecentView {
    return new RecentView(this.#list, prefixes);
  }

  /** Assigns all identifiers added since the last call to log record `seq`. */
  close(seq: number): void {
    const current = this.#list.at(-1)!;
    current.lastSeq = seq;
    if (current.table.size + current.inRuns >= identifiersPerGeneration)
      this.#list.push(newGeneration());
  }

  /**
   * Records up to `seq` are sealed: their generations go. One that also holds later records stays
   * whole; finding a sealed identifier in it is just as right.
   */
  forgetUpTo(seq: number): void {
    this.#list = this.#list.filter((generation) => generation.lastSeq > seq);
    if (this.#list.length === 0) this.#list.push(newGeneration());
  }
}

interface Generation {
  table: RecentIdentifiers;
  /** Prefixes of counter identifiers are numbered within a generation, so that they go with it. */
  prefixes: Map<string, number>;
  /** By the number of their prefix: counters that followed each other; the table has the others. */
  counters: Map<number, RecentCounters>;
  /** How many these are. */
  inRuns: number;
  /** By the number of their prefix: the largest counter in the table. */
  largest: number[];
  lastSeq: number;
}

function newGeneration(): Generation {
  const [prefixes, counters] = [new Map<string, number>(), new Map<number, RecentCounters>()];
  const table = new RecentIdentifiers();
  return { table, prefixes, counters, inRuns: 0, largest: [], lastSeq: 0 };
}

export class RecentView {
  readonly #generations: Generation[];
  readonly #current: Generation;
  readonly #prefixes: readonly string[];
  /** Prefix number by generation and batch-local prefix: -1 is unknown, undefined not looked up. */
  readonly #numbers: (number | undefined)[][];
  /** The counter that was added last, and how many before it followed each other. */
  #lastNumber = -1;
  #lastCounter = -1;
  #following = 0;

  constructor(generations: Generation[], prefixes: readonly string[]) {
    this.#generations = generations;
    this.#current = generations.at(-1)!;
    this.#prefixes = prefixes;
    this.#numbers = generations.map(() => []);
  }

  findHash(identifier: ArrayLike<number>, at: number): number {
    for (let index = this.#generations.length - 1; index >= 0; index--) {
      const found = this.#generations[index].table.find(
        identifier[at],
        identifier[at + 1],
        identifier[at + 2],
        identifier[at + 3],
      );
      if (found >= 0) return found;
    }
    return -1;
  }

  findCounter(prefix: number, high: number, low: number): number {
    for (let index = this.#generations.length - 1; index >= 0; index--) {
      const number = this.#prefixNumber(index, prefix);
      if (number < 0) continue;
      const { table, counters } = this.#generations[index];
      const inRun = counters.get(number)?.find(counterOf(high, low)) ?? -1;
      if (inRun >= 0) return inRun;
      const found = table.find(number, counterMark, high, low);
      if (found >= 0) return found;
    }
    return -1;
  }

  addHash(identifier: ArrayLike<number>, at: number, fingerprint: number): void {
    this.#current.table.add(
      identifier[at],
      identifier[at + 1],
      identifier[at + 2],
      identifier[at + 3],
      fingerprint,
    );
  }

  addCounter(prefix: number, high: number, low: number, fingerprint: number): void {
    const number = this.#ownPrefixNumber(prefix);
    const counter = counterOf(high, low);
    const { table, largest } = this.#current;
    if (this.#addToRun(number, counter, fingerprint)) this.#current.inRuns++;
    else {
      table.add(number, counterMark, high, low, fingerprint);
      if (!(largest[number] >= counter)) largest[number] = counter;
    }
  }

  /** Whether none of the run's `count` counters is there; false also where that is not certain. */
  lacksRun({ prefix, first }: CounterRun, count: number): boolean {
    return this.#generations.every(({ counters, largest }, index) => {
      const number = this.#prefixNumber(index, prefix);
      if (number < 0) return true;
      return !(largest[number] >= first) && (counters.get(number)?.lacksRun(first, count) ?? true);
    });
  }

  /** Adds counters of which none is there, and which are enough for a run. */
  addRun({ prefix, first }: CounterRun, fingerprints: Uint32Array): void {
    const number = this.#ownPrefixNumber(prefix);
    const { counters } = this.#current;
    let ofPrefix = counters.get(number);
    if (ofPrefix === undefined) counters.set(number, (ofPrefix = new RecentCounters()));
    ofPrefix.addRun(first, fingerprints);
    this.#current.inRuns += fingerprints.length;
  }

  /** Adds a counter to the run that it follows, or begins one behind some that did. */
  #addToRun(number: number, counter: number, fingerprint: number): boolean {
    const isNext = number === this.#lastNumber && counter === this.#lastCounter + 1;
    this.#following = isNext ? this.#following + 1 : 0;
    this.#lastNumber = number;
    this.#lastCounter = counter;
    const mayBegin = this.#following >= followingMin;
    const { counters } = this.#current;
    let ofPrefix = counters.get(number);
    if (ofPrefix === undefined && mayBegin) counters.set(number, (ofPrefix = new RecentCounters()));
    return ofPrefix?.add(counter, fingerprint, mayBegin) === true;
  }

  /** The number of a prefix in the generation that takes new identifiers. */
  #ownPrefixNumber(prefix: number): number {
    const last = this.#generations.length - 1;
    let number = this.#prefixNumber(last, prefix);
    if (number < 0) {
      number = this.#current.prefixes.size;
      this.#current.prefixes.set(this.#prefixes[prefix], number);
      this.#numbers[last][prefix] = number;
    }
    return number;
  }

  #prefixNumber(generation: number, prefix: number): number {
    const known = this.#numbers[generation];
    let number = known[prefix];
    if (number === undefined) {
      number = this.#generations[generation].prefixes.get(this.#prefixes[prefix]) ?? -1;
      known[prefix] = number;
    }
    return number;
  }
}
