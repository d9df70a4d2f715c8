import type { ComparedKey, ComparedValue, DifferenceReply } from "@lossless/protocol";
import type { MetaFields } from "../../chart/lines/looks.ts";
import { plainText } from "../../chart/lines/value-text.ts";
import { testOf } from "./difference/difference-table.ts";

/**
 * The leaves of each experiment's meta, lists as wholes: texts by field in the query language's
 * spelling. Equal values have equal texts in all experiments.
 */
export function metaFieldsOf({
  experiments,
  keys,
}: Pick<DifferenceReply, "experiments" | "keys">): Map<string, MetaFields> {
  const fields = experiments.map(() => new Map<string, string>());
  for (const { field, values, valueOf } of keys) {
    const texts = values.map(shownText);
    for (const [at, place] of valueOf.entries())
      if (place !== null) fields[at].set(field, texts[place]);
  }
  return new Map(experiments.map(({ experimentId }, at) => [experimentId, fields[at]]));
}

/** Query tests by field and text of the value: each finds the experiments with that value. */
export type MetaTests = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The tests, without those that the language cannot express. */
export function metaTestsOf({ keys }: Pick<DifferenceReply, "keys">): MetaTests {
  const testsOf = ({ field, values }: ComparedKey) =>
    values.flatMap((value, place): [string, string][] => {
      const test = testOf(field, value);
      return test === undefined ? [] : [[shownText(value, place), test]];
    });
  return new Map(keys.map((key) => [key.field, new Map(testsOf(key))]));
}

/** Text for a missing value. */
export const noValue = "none";

/** Writes a value as JSON; unambiguous texts have no quotation marks. */
function shownText({ kind, text, isCut }: ComparedValue, place: number): string {
  // Two long values may have the same beginning.
  if (isCut) return `${text}… (${place + 1})`;
  return kind === "text" ? plainText(text) : text;
}

/** Says what a grouping by metas leaves out; undefined: nothing. */
export function unreadText(unread: number): string | undefined {
  if (unread === 0) return undefined;
  const count = unread.toLocaleString("en");
  return `Too many keys of the meta differ, or their values are too long. Groups leave out ${count} of them.`;
}
