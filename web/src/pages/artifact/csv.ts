/** Parses the first rows of a table (RFC 4180), up to `rowsMax`. */
export function csvRows(
  text: string,
  separator: "," | "\t",
  { rowsMax, columnsMax, isWhole }: { rowsMax: number; columnsMax: number; isWhole: boolean },
): { rows: string[][]; isCut: boolean } {
  const rows: string[][] = [];
  let at = 0;
  while (at < text.length && rows.length <= rowsMax) {
    const row = rowAt(text, at, separator);
    at = row.end;
    // The last row of an incomplete text may be cut.
    if (at >= text.length && !isWhole) break;
    rows.push(row.cells);
  }
  const isWide = rows.some(({ length }) => length > columnsMax);
  return {
    rows: rows.slice(0, rowsMax).map((cells) => cells.slice(0, columnsMax)),
    isCut: !isWhole || isWide || rows.length > rowsMax,
  };
}

function rowAt(text: string, start: number, separator: string): { cells: string[]; end: number } {
  const cells: string[] = [];
  let at = start;
  for (;;) {
    const cell = text[at] === '"' ? quotedAt(text, at) : plainAt(text, at, separator);
    cells.push(cell.text);
    at = cell.end;
    if (text[at] === separator) at++;
    else break;
  }
  if (text[at] === "\r") at++;
  if (text[at] === "\n") at++;
  return { cells, end: at };
}

function plainAt(text: string, start: number, separator: string): { text: string; end: number } {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== "\n" && text[end] !== "\r")
    end++;
  return { text: text.slice(start, end), end };
}

/** Text after a closing quotation mark belongs to the cell, so nothing is lost. */
function quotedAt(text: string, start: number): { text: string; end: number } {
  let found = "";
  let at = start + 1;
  for (;;) {
    const mark = text.indexOf('"', at);
    if (mark === -1) return { text: found + text.slice(at), end: text.length };
    found += text.slice(at, mark);
    at = mark + 1;
    if (text[at] !== '"') break;
    found += '"';
    at++;
  }
  let end = at;
  while (end < text.length && !/[,\t\r\n]/.test(text[end])) end++;
  return { text: found + text.slice(at, end), end };
}
