export interface Section {
  name: string;
  series: string[];
}

/** So few series stand together, whatever their names: headings would only part them. */
const togetherMax = 8;
/** What stands first in a list of sections whatever its name, and what stands last. */
const firstNames = ["train", "val", "eval", "test"];
const lastName = "system";

/**
 * Series by the first part of their names: `train/loss` and `train/lr` stand together. A pattern
 * may have `*`; without one it is found anywhere in a name, whatever the case.
 */
export function sectionsOf(names: readonly string[], pattern: string): Section[] {
  const wanted = patternOf(pattern.trim());
  const byName = new Map<string, string[]>();
  for (const name of names) {
    if (!wanted.test(name)) continue;
    const at = name.indexOf("/");
    const section = at > 0 ? name.slice(0, at) : "metrics";
    const series = byName.get(section);
    if (series === undefined) byName.set(section, [name]);
    else series.push(name);
  }
  const found = [...byName]
    .map(([name, series]) => ({ name, series }))
    .sort((left, right) => rank(left.name) - rank(right.name) || (left.name < right.name ? -1 : 1));
  const all = found.flatMap(({ series }) => series);
  return all.length > togetherMax || found.length < 2 ? found : [{ name: "series", series: all }];
}

function rank(name: string): number {
  if (name === lastName) return firstNames.length + 1;
  const at = firstNames.indexOf(name);
  return at === -1 ? firstNames.length : at;
}

function patternOf(text: string): RegExp {
  const parts = text.split("*").map((part) => RegExp.escape(part));
  return text.includes("*") ? new RegExp(`^${parts.join(".*")}$`, "i") : new RegExp(parts[0], "i");
}
