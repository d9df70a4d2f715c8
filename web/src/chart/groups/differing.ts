/** The keys with different values. */
export function differing(all: readonly ReadonlyMap<string, string>[]): string[] {
  const keys = [...new Set(all.flatMap((values) => [...values.keys()]))].sort();
  return keys.filter((key) => all.some((values) => values.get(key) !== all[0].get(key)));
}
