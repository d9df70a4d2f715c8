import type { DifferenceReply } from "@lossless/protocol";
import { ConfigKind } from "../../experiments/summaries/config.ts";
import { spelled } from "../table/fields.ts";
import { type ConfigRow, configValue } from "../table/table-rows.ts";

export type ApartKey = NonNullable<DifferenceReply["apart"]>["keys"][number];

/** Number of experiments on either side. */
export interface Sides {
  named: number;
  others: number;
}

/** The distribution of the values of one key over the named experiments and over the others. */
export class KeyShares {
  readonly #field: string;
  readonly #having: Sides = { named: 0, others: 0 };
  /** Values by what `=` compares, and how many experiments have each. */
  readonly #values = new Map<string | number, Sides & { row: ConfigRow }>();
  /** The least and the largest number of each experiment, where it has any. */
  readonly #least: Record<keyof Sides, number[]> = { named: [], others: [] };
  readonly #largest: Record<keyof Sides, number[]> = { named: [], others: [] };

  /** `field` in the language's spelling. */
  constructor(field: string) {
    this.#field = field;
  }

  /** All that one experiment has at the key: a value, and of a list also its elements. */
  add(side: keyof Sides, rows: readonly ConfigRow[]): void {
    this.#having[side]++;
    let [least, largest] = [Infinity, -Infinity];
    const seen = rows.length > 1 ? new Set<string | number>() : undefined;
    for (const row of rows) {
      const name = nameOf(row);
      if (seen?.has(name) === true) continue;
      seen?.add(name);
      this.#count(side, row, name);
      if (row.kind !== ConfigKind.number) continue;
      least = Math.min(least, row.number!);
      largest = Math.max(largest, row.number!);
    }
    if (least > largest) return;
    this.#least[side].push(least);
    this.#largest[side].push(largest);
  }

  /** The test on this key whose shares differ most. */
  furthest(together: Sides): ApartKey {
    let furthest: Candidate | undefined;
    const look = (test: () => string, { named, others }: Sides) => {
      const lead = named * together.others - others * together.named;
      if (furthest !== undefined && !isFurther(lead, furthest.lead)) return;
      furthest = { test, named, others, lead };
    };
    for (const value of this.#values.values())
      look(() => `${this.#field} = ${spelled(configValue(value.row))}`, value);
    look(() => this.#field, this.#having);
    for (const [number, sides] of upTo(this.#least))
      look(() => `${this.#field} <= ${spelled(number)}`, sides);
    for (const [number, sides] of upTo(negated(this.#largest)))
      look(() => `${this.#field} >= ${spelled(-number)}`, sides);
    const { test, named, others, lead } = furthest!;
    const distance = Math.abs(lead) / (together.named * together.others);
    return { field: this.#field, test: test(), named, others, distance };
  }

  #count(side: keyof Sides, row: ConfigRow, name: string | number): void {
    let value = this.#values.get(name);
    if (value === undefined) this.#values.set(name, (value = { row, named: 0, others: 0 }));
    value[side]++;
  }
}

interface Candidate extends Sides {
  test: () => string;
  /** The difference of the shares, times the experiments of both sides: a whole number. */
  lead: number;
}

/**
 * Whether a test goes first among equally good ones: one that fits more of the named experiments
 * does.
 */
function isFurther(lead: number, before: number): boolean {
  const further = Math.abs(lead) - Math.abs(before);
  return further > 0 || (further === 0 && lead > before);
}

/**
 * Returns the value that `=` compares: texts, and kinds that are compared as text, are one kind.
 */
function nameOf({ kind, number, text }: ConfigRow): string | number {
  return kind === ConfigKind.number ? number! : `${Math.min(kind, ConfigKind.text)}${text}`;
}

/** Yields each distinct number, and how many experiments of either side are at most that. */
function* upTo(numbers: Record<keyof Sides, number[]>): Generator<[number, Sides]> {
  const named = Float64Array.from(numbers.named).sort();
  const others = Float64Array.from(numbers.others).sort();
  const passed: Sides = { named: 0, others: 0 };
  while (passed.named < named.length || passed.others < others.length) {
    const next = Math.min(named[passed.named] ?? Infinity, others[passed.others] ?? Infinity);
    while (named[passed.named] <= next) passed.named++;
    while (others[passed.others] <= next) passed.others++;
    yield [next, { ...passed }];
  }
}

function negated({ named, others }: Record<keyof Sides, number[]>) {
  return { named: named.map((number) => -number), others: others.map((number) => -number) };
}
