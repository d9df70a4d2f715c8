import { isDeepStrictEqual } from "node:util";

/**
 * A value that the service chooses and the model only names: an id, a token, a time. The first
 * reply that shows it binds it; from then on every reply must show the same value.
 */
export class Name {
  readonly kind: "experiment" | "folder" | "token" | "annotation" | "time";
  readonly number: number;

  constructor(kind: Name["kind"], number: number) {
    this.kind = kind;
    this.number = number;
  }

  toString(): string {
    return `${this.kind}-${this.number}`;
  }
}

/** A revision counter: bound anew for each version of what it counts, and only growing. */
export class Revision {
  readonly counter: string;
  readonly version: number;

  constructor(counter: string, version: number) {
    this.counter = counter;
    this.version = version;
  }
}

export type Term = null | boolean | number | string | Name | Revision | Term[] | TermObject;
export interface TermObject {
  [key: string]: Term;
}

/** The ids that one service has chosen so far. */
export class Bindings {
  readonly #values = new Map<Name, string | number>();
  readonly #owners = new Map<string, Name>();
  readonly #revisions = new Map<string, { version: number; value: number }>();

  /** The request as this service must see it. */
  resolve(term: Term): unknown {
    if (term instanceof Name) {
      const value = this.#values.get(term);
      if (value === undefined) throw new Error(`BUG: ${String(term)} is not bound`);
      return value;
    }
    if (term instanceof Revision) throw new Error("BUG: a request holds a revision");
    if (Array.isArray(term)) return term.map((item) => this.resolve(item));
    if (term === null || typeof term !== "object") return term;
    return Object.fromEntries(
      Object.entries(term).map(([key, value]) => [key, this.resolve(value)]),
    );
  }

  /** The text with every id that this service has chosen replaced by its name. */
  mask(text: string): string {
    let masked = text;
    for (const [value, name] of this.#owners) masked = masked.replaceAll(value, String(name));
    return masked;
  }

  /** Throws with the place of the first difference between the model's and the service's word. */
  unify(expected: Term, actual: unknown, where = "reply"): void {
    if (expected instanceof Name) this.#unifyName(expected, actual, where);
    else if (expected instanceof Revision) this.#unifyRevision(expected, actual, where);
    else if (Array.isArray(expected)) {
      if (!Array.isArray(actual) || actual.length !== expected.length)
        fail(where, expected, actual);
      for (const [index, item] of expected.entries())
        this.unify(item, actual[index], `${where}[${index}]`);
    } else if (expected !== null && typeof expected === "object") {
      if (actual === null || typeof actual !== "object") fail(where, expected, actual);
      const keys = [Object.keys(expected).sort(), Object.keys(actual).sort()];
      if (!isDeepStrictEqual(keys[0], keys[1])) fail(where, expected, actual);
      const fields = actual as Record<string, unknown>;
      for (const [key, value] of Object.entries(expected))
        this.unify(value, fields[key], `${where}.${key}`);
    } else if (!Object.is(expected, actual)) fail(where, expected, actual);
  }

  #unifyName(name: Name, actual: unknown, where: string): void {
    const bound = this.#values.get(name);
    if (bound !== undefined) {
      if (bound !== actual) fail(where, `${String(name)} = ${bound}`, actual);
      return;
    }
    if (name.kind === "time") {
      if (!Number.isSafeInteger(actual) || Math.abs(Number(actual) - Date.now()) > 3_600_000) {
        fail(where, "a time", actual);
      }
    } else {
      if (typeof actual !== "string" || actual === "") fail(where, String(name), actual);
      const owner = this.#owners.get(actual);
      if (owner !== undefined) fail(where, `a fresh ${name.kind}`, `that of ${String(owner)}`);
      this.#owners.set(actual, name);
    }
    this.#values.set(name, actual as string | number);
  }

  #unifyRevision({ counter, version }: Revision, actual: unknown, where: string): void {
    const last = this.#revisions.get(counter);
    if (!Number.isSafeInteger(actual)) fail(where, "a revision", actual);
    const value = Number(actual);
    if (
      last !== undefined &&
      (value < last.value || (version > last.version && value === last.value))
    ) {
      fail(where, `more than ${last.value}`, actual);
    }
    this.#revisions.set(counter, { version, value });
  }
}

function fail(where: string, expected: unknown, actual: unknown): never {
  throw new Error(`${where}: expected ${show(expected)}, got ${show(actual)}`);
}

function show(value: unknown): string {
  const text = JSON.stringify(value, (_, inner: unknown) =>
    inner instanceof Name ? `<${String(inner)}>` : inner,
  );
  return (text ?? "nothing").slice(0, 1_500);
}
