import type { Operation } from "./operation.ts";

/**
 * A fault of a request. If the operation is done all the same, the name says so: after such a fault
 * a client cannot know what happened.
 */
export type Fault =
  /** 503, nothing done. */
  | { kind: "slowDown" }
  /** 500, nothing done. */
  | { kind: "internalError" }
  /** 403, nothing done: the client's clock, says the store. */
  | { kind: "requestTimeTooSkewed" }
  /** 200 with an <Error> document, nothing done: what CompleteMultipartUpload may answer. */
  | { kind: "errorInBody" }
  /** Done, and then 200 with an <Error> document. */
  | { kind: "doneButErrorInBody" }
  /** Done, and then 404 NoSuchUpload. */
  | { kind: "doneButNoSuchUpload" }
  /** Done, and then 500. */
  | { kind: "doneButInternalError" }
  /** Done, and the connection ends before a byte of the answer. */
  | { kind: "lostReply" }
  /** Done; the answer is whole HTTP, its XML ends in the middle. */
  | { kind: "truncatedXml" }
  /** Done; the connection ends in the middle of the answer's body. */
  | { kind: "cutReply" }
  /** The connection ends before anything is done. */
  | { kind: "lostRequest" }
  /** Never answered, nothing done; ends when the client gives up or the store is disposed. */
  | { kind: "hang" }
  /** Done, and never answered. */
  | { kind: "doneButHang" }
  /** Done, one bit of the answered object is wrong. */
  | { kind: "flippedBit" }
  /** Done after a pause. */
  | { kind: "latency"; latencyMs: number }
  /** Done; the answer's body comes in small pieces with a pause after each. */
  | { kind: "trickle"; pieceBytes: number; pauseMs: number };

export type FaultKind = Fault["kind"];

/** The request as a rule sees it, and as the log keeps it. */
export interface FaultSubject {
  operation: Operation;
  bucket: string;
  key: string;
  partNumber: number | undefined;
  uploadId: string | undefined;
  presigned: boolean;
}

/** Strikes the requests that fit everything it names. */
export interface FaultRule {
  fault: Fault | FaultKind;
  operation?: Operation | readonly Operation[];
  key?: string | RegExp;
  when?: (subject: FaultSubject) => boolean;
  /** Number of fitting requests that pass first. */
  after?: number;
  /** Maximum of requests that are struck. */
  times?: number;
  /** 0 to 1, drawn from the seed. */
  probability?: number;
}

export type FaultFunction = (subject: FaultSubject) => Fault | undefined;

/** Which requests fail, and how often each fault has struck: one that never did proves nothing. */
export class FaultPlan {
  readonly struck = new Map<FaultKind, number>();
  #rules: { rule: FaultRule; passed: number; struck: number }[] = [];
  #functions: FaultFunction[] = [];
  #random: () => number;

  constructor(faults: readonly FaultRule[] | FaultFunction = [], seed = 1) {
    this.#random = seeded(seed);
    if (typeof faults === "function") this.#functions.push(faults);
    else this.add(...faults);
  }

  add(...rules: FaultRule[]): void {
    for (const rule of rules) this.#rules.push({ rule, passed: 0, struck: 0 });
  }

  /** From now on nothing fails. The counts stay. */
  clear(): void {
    this.#rules = [];
    this.#functions = [];
  }

  get total(): number {
    return [...this.struck.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The first rule that fits decides. */
  draw(subject: FaultSubject): Fault | undefined {
    const fault = this.#ofFunctions(subject) ?? this.#ofRules(subject);
    if (fault !== undefined) this.struck.set(fault.kind, (this.struck.get(fault.kind) ?? 0) + 1);
    return fault;
  }

  #ofFunctions(subject: FaultSubject): Fault | undefined {
    for (const choose of this.#functions) {
      const fault = choose(subject);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  #ofRules(subject: FaultSubject): Fault | undefined {
    for (const entry of this.#rules) {
      const { rule } = entry;
      if (!fits(rule, subject) || entry.struck >= (rule.times ?? Infinity)) continue;
      entry.passed += 1;
      if (entry.passed <= (rule.after ?? 0)) continue;
      if (rule.probability !== undefined && this.#random() >= rule.probability) continue;
      entry.struck += 1;
      return typeof rule.fault === "string" ? plainFault(rule.fault) : rule.fault;
    }
    return undefined;
  }
}

function plainFault(kind: FaultKind): Fault {
  if (kind === "latency") return { kind, latencyMs: 200 };
  if (kind === "trickle") return { kind, pieceBytes: 64, pauseMs: 20 };
  return { kind };
}

function fits(rule: FaultRule, subject: FaultSubject): boolean {
  const operations = typeof rule.operation === "string" ? [rule.operation] : rule.operation;
  if (operations !== undefined && !operations.includes(subject.operation)) return false;
  if (typeof rule.key === "string" && rule.key !== subject.key) return false;
  if (rule.key instanceof RegExp && subject.key.search(rule.key) < 0) return false;
  return rule.when?.(subject) ?? true;
}

/** mulberry32: the same seed strikes the same requests, as long as they come in the same order. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
