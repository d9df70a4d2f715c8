/** A line of a meta's tree. A search keeps matches and all lines above them. */

export interface MetaLine {
  /** Keys and indices from the root. */
  path: (string | number)[];
  /** Undefined: the content follows in further lines. */
  text: string | undefined;
  isText: boolean;
  /** Whether it is an object, maybe an empty one. */
  isObject: boolean;
  /** A test of the query language that finds experiments with the same value. */
  filter: string | undefined;
}

/** With `isCompact` a short list of plain values is one line. */
export function metaLines(meta: unknown, search: string, isCompact = false): MetaLine[] {
  const lines: MetaLine[] = [];
  const wanted = search.trim().toLowerCase();
  /** Adds lines; returns whether any of them matched. */
  const walk = (value: unknown, path: MetaLine["path"], isFoundAbove: boolean): boolean => {
    const at = lines.length;
    const listed = isCompact ? listText(value) : undefined;
    const entries = listed === undefined ? childrenOf(value) : [];
    const text = listed ?? (entries.length > 0 ? undefined : JSON.stringify(value));
    const own = `${path.at(-1) ?? ""}\n${text ?? ""}`.toLowerCase();
    const isOwn = isFoundAbove || own.includes(wanted) || path.join(".").toLowerCase() === wanted;
    if (path.length > 0)
      lines.push({
        path,
        text,
        isText: typeof value === "string",
        isObject: typeof value === "object" && value !== null && !Array.isArray(value),
        filter: listed === undefined ? filterOf(path, value) : listFilter(path, value as unknown[]),
      });
    let isFound = isOwn;
    for (const [key, each] of entries) if (walk(each, [...path, key], isOwn)) isFound = true;
    if (!isFound) lines.length = at;
    return isFound;
  };
  for (const [key, value] of childrenOf(meta)) walk(value, [key], wanted === "");
  return lines;
}

/** Characters of a list on one line. */
const listCharactersMax = 80;

/** A short list of plain values; undefined: it is none. */
function listText(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.some((each) => typeof each === "object" && each !== null))
    return undefined;
  const text = `[${value.map((each) => JSON.stringify(each)).join(", ")}]`;
  return text.length > listCharactersMax ? undefined : text;
}

function childrenOf(value: unknown): [string | number, unknown][] {
  if (Array.isArray(value)) return [...value.entries()];
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

/** The test for a list with all of these entries. */
function listFilter(path: MetaLine["path"], list: readonly unknown[]): string {
  if (list.length === 0) return filterOf(path, list);
  return [...new Set(list.map((each) => filterOf(path, each)))].join(" and ");
}

/**
 * The test for a value. Entries of a list have no field of their own: a test on the list finds
 * them.
 */
export function filterOf(path: MetaLine["path"], value: unknown): string {
  const place = path.findIndex((part) => typeof part === "number");
  const field = ["meta", ...(place === -1 ? path : path.slice(0, place)).map(wordOf)].join(".");
  if (typeof value === "object" && value !== null) return field;
  return `${field} = ${typeof value === "string" ? wordOf(value) : String(value)}`;
}

/** Quotes texts with other characters, and those that would read as another type. */
function wordOf(text: string | number): string {
  const isPlain = /^[A-Za-z_][\w/@%+-]*$/.test(String(text));
  if (isPlain && !/^(and|or|not|in|true|false|null)$/.test(String(text))) return String(text);
  return `"${String(text).replaceAll(/["\\]/g, "\\$&")}"`;
}
