/** The pictures among files that are pasted, dropped or chosen. */
export function picturesIn(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])].filter(({ type }) => type.startsWith("image/"));
}

/** Whether a paste is of a picture: programs that copy a text often add a picture of it. */
export function isOfPictures(data: DataTransfer | null): boolean {
  return picturesIn(data).length > 0 && (data?.getData("text/plain") ?? "") === "";
}

/** The words for a picture, from the name of its file: that of what is pasted says nothing. */
export function wordsOfFile(name: string): string {
  const words = name.replace(/\.\w+$/, "");
  if (words === "" || words === "image") return "picture";
  const plain = words.replaceAll("[", "(").replaceAll("]", ")").replaceAll("\\", "/");
  // Signs of code, formulas and HTML could find their other half behind the picture.
  return plain.replaceAll(/[`$<\s]+/g, " ").trim() || "picture";
}

/**
 * A text with pictures at a place. On a line of their own and beside a row of a table they are
 * paragraphs: without blank lines a table would take them as its cells.
 */
export function withPictures(text: string, at: number, pictures: readonly string[]): string {
  const place = ownPlace(text, at);
  if (place === undefined) {
    // The cells of a row have no paragraphs.
    const isInCell = isRow(text.slice(startOfLine(text, at), endOfLine(text, at)));
    return text.slice(0, at) + pictures.join(isInCell ? " " : "\n\n") + text.slice(at);
  }
  const above = text.slice(0, place);
  const indent = /[ \t]*$/.exec(above)![0];
  const made = pictures.map((picture) => indent + picture).join("\n\n");
  const kept = above.slice(0, above.length - indent.length);
  return blankBehind(kept) + made + blankBefore(text.slice(place).replace(/^[ \t]+/, ""));
}

/** The place of a picture that is a paragraph: behind all rows of a table, or before the first. */
function ownPlace(text: string, at: number): number | undefined {
  const [start, end] = [startOfLine(text, at), endOfLine(text, at)];
  const [left, right] = [text.slice(start, at), text.slice(at, end)];
  const isBegin = left.trim() === "";
  if (!isBegin && right.trim() !== "") return undefined;
  if (!isRow(left + right)) return isBegin && right.trim() === "" ? at : undefined;
  if (isBegin && !isRow(text.slice(startOfLine(text, start - 1), Math.max(0, start - 1))))
    return start;
  let last = end;
  while (isRow(text.slice(last + 1, endOfLine(text, last + 1)))) last = endOfLine(text, last + 1);
  return last;
}

function isRow(line: string): boolean {
  return /^\s*\||(^|[^\\])\|\s*$/.test(line);
}

function startOfLine(text: string, at: number): number {
  return at <= 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** A text that ends with a blank line, unless it is empty. */
function blankBehind(text: string): string {
  if (text.trim() === "" || /\n[ \t]*\n[ \t]*$/.test(text)) return text;
  return text + (text.endsWith("\n") ? "\n" : "\n\n");
}

/** A text that begins with a blank line, unless it is empty. */
function blankBefore(text: string): string {
  if (text.trim() === "" || /^[ \t]*\n[ \t]*\n/.test(text)) return text;
  return (text.startsWith("\n") ? "\n" : "\n\n") + text;
}

/** Keeps the place of a picture that is being sent. */
export function placeholderOf(words: string, number: number): string {
  return `![sending ${words} (${number}) …]()`;
}

/** A text without the places of pictures that nobody sends any more. */
export function withoutPlaceholders(text: string): string {
  return text.replaceAll(/!\[sending [^\]]* \(\d+\) …\]\(\)/g, "");
}

/** A text with the picture in its place; undefined: it was refused. */
export function withPicture(
  text: string,
  placeholder: string,
  words: string,
  picture: string | undefined,
): string {
  return text.replace(placeholder, () =>
    picture === undefined ? "" : `![${words}](picture:${picture})`,
  );
}
