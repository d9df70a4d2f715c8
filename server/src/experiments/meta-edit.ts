/**
 * Returns the JSON text of the value at a path of a meta; undefined when there is none. Texts of
 * metas are compact, and other members are skipped without being parsed.
 */
export function valueAt(meta: string, path: readonly string[]): string | undefined {
  const found = placeOf(meta, path)?.member;
  return found && meta.slice(found.valueStart, valueEnd(meta, found.valueStart));
}

/**
 * Returns the meta with another text at a path, at the end of its object where the member is new,
 * or with the member removed; all other text is unchanged. Undefined: the path leads through a
 * value that is no object.
 */
export function withValueAt(
  meta: string,
  path: readonly string[],
  value: string | undefined,
): string | undefined {
  const place = placeOf(meta, path);
  if (place === undefined) return value === undefined ? meta : undefined;
  const { object, member } = place;
  if (member === undefined) {
    if (value === undefined) return meta;
    const end = valueEnd(meta, object) - 1;
    const separator = end === object + 1 ? "" : ",";
    const added = `${separator}${JSON.stringify(path.at(-1))}:${value}`;
    return meta.slice(0, end) + added + meta.slice(end);
  }
  const { start, valueStart } = member;
  const end = valueEnd(meta, valueStart);
  if (value !== undefined) return meta.slice(0, valueStart) + value + meta.slice(end);
  // With the comma behind it, or before it where it is the last one.
  if (meta[end] === ",") return meta.slice(0, start) + meta.slice(end + 1);
  const isFirst = start === object + 1;
  return meta.slice(0, isFirst ? start : start - 1) + meta.slice(end);
}

/** Returns the maximal nesting of objects and arrays, the meta's own object included. */
export function depthOf(meta: string): number {
  let deepest = 0;
  let depth = 0;
  for (let at = 0; at < meta.length;) {
    const character = meta[at];
    if (character === "{" || character === "[") deepest = Math.max(deepest, ++depth);
    else if (character === "}" || character === "]") depth--;
    at = character === '"' ? stringEnd(meta, at) : at + 1;
  }
  return deepest;
}

/**
 * A member of an object. The end of its value is searched only where it is needed: it may be most
 * of the meta.
 */
interface Member {
  start: number;
  valueStart: number;
}

/** The object that the last name of a path belongs to, and its member of that name, if any. */
function placeOf(
  meta: string,
  path: readonly string[],
): { object: number; member: Member | undefined } | undefined {
  let object = 0;
  for (const name of path.slice(0, -1)) {
    const member = memberOf(meta, object, name);
    if (member === undefined || meta[member.valueStart] !== "{") return undefined;
    object = member.valueStart;
  }
  return { object, member: memberOf(meta, object, path.at(-1)!) };
}

function memberOf(meta: string, object: number, name: string): Member | undefined {
  let start = object + 1;
  while (meta[start] === '"') {
    const nameEnd = stringEnd(meta, start);
    const valueStart = nameEnd + 1;
    if (JSON.parse(meta.slice(start, nameEnd)) === name) return { start, valueStart };
    start = valueEnd(meta, valueStart) + 1;
  }
  return undefined;
}

/** Returns the end of the value that begins there. */
function valueEnd(meta: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < meta.length) {
    const character = meta[at];
    if (character === '"') {
      at = stringEnd(meta, at);
      if (depth === 0) return at;
      continue;
    }
    if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") {
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (character === "," && depth === 0) return at;
    at++;
  }
  return at;
}

/** Returns the index after the closing quotation mark. */
function stringEnd(meta: string, start: number): number {
  let at = start + 1;
  while (meta[at] !== '"') at += meta[at] === "\\" ? 2 : 1;
  return at + 1;
}
