import type { Field, FilterPredicate } from "@lossless/protocol";
import { QueryError } from "@lossless/protocol/query-error";
import { parseField } from "@lossless/protocol/query-field";

/**
 * Names that an anonymous link shows neither in its replies nor by what a request finds: who could
 * ask for the points of one machine would only have to guess its name.
 */

/** Keys of partitions that name machines and people. */
export const namingKeys: readonly string[] = ["host", "hostname", "node", "user"];
/** Series of the machine, whose partitions name it. */
const machineSeries = "system/";

/** Stands for the values of those keys. */
export const hidden = "hidden";

export function namesSomebody(key: string): boolean {
  return namingKeys.includes(key);
}

export function isOfMachine(seriesName: string): boolean {
  return seriesName.startsWith(machineSeries);
}

/** Whether a request for series reads none of the machine, and none by who or what it names. */
export function readsPlainSeries(series: readonly SeriesRead[], xSeriesName = ""): boolean {
  return (
    !isOfMachine(xSeriesName) &&
    series.every(
      ({ seriesName, combined, filter = [] }) =>
        !isOfMachine(seriesName) &&
        !isOfMachine(combined?.seriesName ?? "") &&
        !filter.some(isByName),
    )
  );
}

interface SeriesRead {
  seriesName: string;
  /** The series with which it is combined. */
  combined?: { seriesName: string } | undefined;
  filter?: readonly FilterPredicate[] | undefined;
}

/** Whether runs may be grouped by a field: a group says which of them have the same value. */
export function isPlainGroup(text: string): boolean {
  const field = fieldOf(text);
  if (field?.kind === "meta") return isPlainPath(field.path);
  return field?.kind === "own" && ["status", "state", "attempts"].includes(field.name);
}

/** Whether a predicate asks for one value of a key that names somebody. */
export function isByName({ metadataKey, metadataValue }: FilterPredicate): boolean {
  return namesSomebody(metadataKey) && metadataValue !== undefined;
}

/** Whether a field's numbers may be shown; a text that is no field has none. */
export function isPlainField(text: string): boolean {
  const field = fieldOf(text);
  if (field === undefined || field.kind === "own") return true;
  if (field.kind === "meta") return isPlainPath(field.path);
  const { name, partition = {} } = field;
  return !isOfMachine(name) && !Object.keys(partition).some(namesSomebody);
}

/** Whether no key on the way begins with an underscore, as those that our clients write do. */
export function isPlainPath(path: readonly string[]): boolean {
  return !path.some((key) => key.startsWith("_"));
}

/** Returns the field of the query language; undefined: the text is none. */
export function fieldOf(text: string): Field | undefined {
  try {
    return parseField(text);
  } catch (error) {
    if (error instanceof QueryError) return undefined;
    throw error;
  }
}

export function withPlainPartition<One extends { metadata: Record<string, string> }>(
  one: One,
): One {
  return { ...one, metadata: plainPartition(one.metadata) };
}

function plainPartition(metadata: Record<string, string>): Record<string, string> {
  const shown = Object.entries(metadata).map(([key, value]) => {
    return [key, namesSomebody(key) ? hidden : value];
  });
  return Object.fromEntries(shown) as Record<string, string>;
}
