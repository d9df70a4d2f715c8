/** Kinds of the lines of a unified diff. */
export type DiffLineKind = "head" | "place" | "added" | "removed" | "same";

export interface DiffLine {
  kind: DiffLineKind;
  text: string;
}

export interface DiffText {
  lines: DiffLine[];
  /** Files in these lines, and lines that they gained and lost. */
  files: number;
  added: number;
  removed: number;
  /** Whether there are more lines than these. */
  isCut: boolean;
}

/** Lines laid out at most. */
const linesMax = 5_000;

/**
 * Reads a diff as git writes it. The kind of a line depends on the hunk around it: in one, a line
 * that begins with dashes is removed text, elsewhere it names a file.
 */
export function diffText(text: string): DiffText {
  const all = text.split("\n");
  if (all.at(-1) === "") all.pop();
  const found: DiffText = {
    lines: [],
    files: 0,
    added: 0,
    removed: 0,
    isCut: all.length > linesMax,
  };
  /** Lines that the hunk still has, before and after the change. */
  let left = { old: 0, new: 0 };
  for (const line of all.slice(0, linesMax)) {
    const isInside = left.old > 0 || left.new > 0 || line.startsWith("\\");
    const hunk = isInside ? null : /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (hunk !== null) left = { old: Number(hunk[1] ?? 1), new: Number(hunk[2] ?? 1) };
    const kind = hunk !== null ? "place" : isInside ? insideKind(line) : "head";
    if (kind === "added" || kind === "same") left.new--;
    if (kind === "removed" || kind === "same") left.old--;
    if (kind === "added" || kind === "removed") found[kind]++;
    if (kind === "head" && line.startsWith("diff --git ")) found.files++;
    found.lines.push({ kind, text: line });
  }
  return found;
}

function insideKind(line: string): DiffLineKind {
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return line.startsWith("\\") ? "place" : "same";
}
