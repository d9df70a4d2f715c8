/** A value of a key, as rows of the table have it; null: the experiment has none. */
export type KeyValue = number | string | boolean | null;

/** A key as a forest sees it: each experiment's value as one of at most 32 bins. */
export interface Feature {
  field: string;
  kind: "number" | "category";
  /** The bin of each experiment. Those of numbers are in their order, after bin 0: no value. */
  bins: Uint8Array;
  binCount: number;
}

/** Bins at most: which of them go left is one number of 32 bits. */
const binsMax = 32;
/** Share of different texts from which a key names experiments rather than tells them apart. */
const namesShare = 0.5;

/** The keys that can matter: those with one value everywhere, or a text for each, cannot. */
export function featuresOf(
  fields: readonly string[],
  rows: readonly (readonly KeyValue[])[],
): Feature[] {
  return fields.flatMap(
    (field, at) =>
      featureOf(
        field,
        rows.map((row) => row[at]),
      ) ?? [],
  );
}

function featureOf(field: string, values: readonly KeyValue[]): Feature | undefined {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return undefined;
  const numbers = known.filter((value) => typeof value === "number");
  const isNumber = numbers.length === known.length;
  const places = isNumber ? numberPlaces(numbers) : categoryPlaces(known);
  if (places === undefined) return undefined;
  const bins = Uint8Array.from(values, (value) => (value === null ? 0 : places(value)));
  if (new Set(bins).size < 2) return undefined;
  const binCount = 1 + bins.reduce((most, bin) => Math.max(most, bin), 0);
  return { field, kind: isNumber ? "number" : "category", bins, binCount };
}

type PlaceOf = (value: Exclude<KeyValue, null>) => number;

/** Bins with as many numbers each; so a logarithm of the numbers would change nothing. */
function numberPlaces(numbers: readonly number[]): PlaceOf {
  const sorted = numbers.toSorted((one, other) => one - other);
  const most = binsMax - 1;
  const distinct = [...new Set(sorted)];
  const edges =
    distinct.length <= most
      ? distinct
      : [
          ...new Set(
            Array.from(
              { length: most },
              (_, at) => sorted[Math.floor((at * sorted.length) / most)],
            ),
          ),
        ];
  return (value) => 1 + lastAtOrBelow(edges, value as number);
}

function lastAtOrBelow(edges: readonly number[], value: number): number {
  let [low, high] = [0, edges.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (edges[middle] <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A bin for each of the most common values, and one for all others. */
function categoryPlaces(known: readonly Exclude<KeyValue, null>[]): PlaceOf | undefined {
  const named = (value: Exclude<KeyValue, null>) => `${typeof value} ${String(value)}`;
  const counts = new Map<string, number>();
  for (const value of known) counts.set(named(value), (counts.get(named(value)) ?? 0) + 1);
  if (counts.size > 2 && counts.size > namesShare * known.length) return undefined;
  const common = [...counts].toSorted(
    ([one, count], [other, others]) => others - count || (one < other ? -1 : 1),
  );
  const others = Math.min(common.length, binsMax - 1);
  const places = new Map(common.map(([name], at) => [name, Math.min(at + 1, others)]));
  return (value) => places.get(named(value))!;
}
