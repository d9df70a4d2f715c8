import type { ComparedKey, ComparedValue, DifferenceReply } from "@lossless/protocol";
import { differing, type MetaFields } from "../../chart/grouping.ts";
import { testOf } from "./difference/difference-table.ts";

/**
 * The leaves of each experiment's meta, lists as wholes, each as its text by its field in the query
 * language's spelling: what is the same value has the same text in all of them.
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

/** By fields and the texts of their values: the tests of a query that find who has these. */
export type MetaTests = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Without those that the language cannot say. */
export function metaTestsOf({ keys }: Pick<DifferenceReply, "keys">): MetaTests {
  const testsOf = ({ field, values }: ComparedKey) =>
    values.flatMap((value, place): [string, string][] => {
      const test = testOf(field, value);
      return test === undefined ? [] : [[shownText(value, place), test]];
    });
  return new Map(keys.map((key) => [key.field, new Map(testsOf(key))]));
}

/** What stands for the value of who has none. */
export const noValue = "none";

/** As JSON; a text that nobody takes for anything else stands without its quotation marks. */
function shownText({ kind, text, isCut }: ComparedValue, place: number): string {
  // Two long values may begin alike.
  if (isCut) return `${text}… (${place + 1})`;
  if (kind !== "text") return text;
  const isPlain = /^[\p{L}_][\p{L}\p{N}_./@:+-]*$/u.test(text) && !isWordOfJson(text);
  return isPlain ? text : JSON.stringify(text);
}

function isWordOfJson(text: string): boolean {
  return text === "true" || text === "false" || text === "null" || text === "none";
}

/** The fields in which experiments differ, by name. */
export function differingFields(metas: Iterable<MetaFields>): string[] {
  return differing([...metas]);
}

/** What a grouping by metas leaves out, where that is anything. */
export function unreadText(unread: number): string | undefined {
  if (unread === 0) return undefined;
  const count = unread.toLocaleString("en");
  return `Too many keys of metas differ, or too long ones: ${count} of them tell no groups apart.`;
}
