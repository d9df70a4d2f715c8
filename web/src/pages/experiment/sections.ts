export interface Section {
  name: string;
  series: string[];
  /** Whether it is closed at first. */
  isClosed: boolean;
}

/**
 * Series up to which there are no sections, whatever the names: headings would only separate them.
 */
const togetherMax = 8;
/** Sections listed first, before others by name, and the one listed last. */
const firstNames = ["train", "val", "eval", "test"];
const lastName = "system";

/**
 * Groups series by the first part of their names: `train/loss` and `train/lr` are together, and
 * pinned ones come first, in the order of pinning. A pattern may have `*`; without one it matches
 * anywhere in a name, ignoring case.
 */
export function sectionsOf(
  names: readonly string[],
  pattern: string,
  pinned: readonly string[] = [],
): Section[] {
  const isSearched = pattern.trim() !== "";
  const wanted = namePattern(pattern.trim());
  const shown = names.filter((name) => wanted.test(name));
  const pins = pinned.filter((name) => shown.includes(name));
  const byName = Map.groupBy(
    shown.filter((name) => !pins.includes(name)),
    (name) => (name.indexOf("/") > 0 ? name.slice(0, name.indexOf("/")) : "series"),
  );
  const found = [...byName]
    .map(([name, series]) => ({
      name,
      series,
      isClosed: name === lastName && !isSearched,
    }))
    .sort((left, right) => rank(left.name) - rank(right.name) || (left.name < right.name ? -1 : 1));
  const open = found.filter(({ isClosed }) => !isClosed);
  const all = open.flatMap(({ series }) => series);
  const parted =
    all.length + pins.length > togetherMax || open.length < 2
      ? found
      : [
          { name: "series", series: all, isClosed: false },
          ...found.filter(({ isClosed }) => isClosed),
        ];
  return pins.length === 0
    ? parted
    : [{ name: "pinned", series: pins, isClosed: false }, ...parted];
}

function rank(name: string): number {
  if (name === lastName) return firstNames.length + 1;
  const at = firstNames.indexOf(name);
  return at === -1 ? firstNames.length : at;
}

/** The pattern of a search for names. */
export function namePattern(text: string): RegExp {
  const parts = text.split("*").map((part) => RegExp.escape(part));
  return text.includes("*") ? new RegExp(`^${parts.join(".*")}$`, "i") : new RegExp(parts[0], "i");
}
