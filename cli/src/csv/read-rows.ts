import { CommandError } from "../command.ts";
import { type Columns, readHeader, readRow, type Row, type WrongRow } from "./row.ts";
import { textLines } from "./text-lines.ts";
import { startMsIn, WideForm, type WideOptions } from "./wide-form.ts";

interface Form {
  read(text: string, line: number): (Row | WrongRow)[];
  skip(): void;
}

/**
 * Yields the rows of a CSV file in constant memory, grouped by chunk. Throws CommandError when the
 * file is unreadable or its header has another form. `wide`: the file has a column for each metric;
 * `onForm` gets the columns used as step and time.
 */
export async function* readRows(
  path: string,
  wide?: WideOptions,
  onForm: (form: WideForm) => void = () => undefined,
): AsyncGenerator<(Row | WrongRow)[]> {
  let form: Form | undefined;
  let startMs: number | undefined;
  for await (const lines of textLines(path)) {
    const rows: (Row | WrongRow)[] = [];
    for (const each of lines) {
      if ("problem" in each) {
        if (form === undefined) throw headerProblem(path, each.line, each.problem);
        form.skip();
        rows.push(each);
      } else if (wide !== undefined && each.text.startsWith("#")) {
        startMs ??= startMsIn(each.text);
      } else if (form !== undefined) {
        if (each.text !== "") rows.push(...opened(form.read(each.text, each.line), each.isOpen));
      } else if (wide === undefined) {
        form = narrowForm(each.text, path);
      } else if (each.text !== "") {
        const found = WideForm.of(each.text, startMs, wide);
        if (typeof found === "string") throw new CommandError(`${path}:${each.line}: ${found}`);
        onForm(found);
        form = found;
      }
    }
    yield rows;
  }
  if (form === undefined) throw new CommandError(`${path} is empty; it needs a header line`);
}

function opened(rows: (Row | WrongRow)[], isOpen = false): (Row | WrongRow)[] {
  return isOpen ? rows.map((row) => ("problem" in row ? row : { ...row, isOpen })) : rows;
}

function narrowForm(text: string, path: string): Form {
  const header = readHeader(text);
  if (typeof header !== "string") {
    const columns: Columns = header;
    return { read: (row, line) => [readRow(row, line, columns)], skip: () => undefined };
  }
  const advice = isWide(text)
    ? `; a file with a column for each metric is imported by: lossless import --wide ${quoted(path)}`
    : "";
  throw new CommandError(`${path}:1: ${header}; it must be step,elapsed_ms,metric,value${advice}`);
}

/** Whether metrics may be columns: true when no column has the names of metrics. */
function isWide(header: string): boolean {
  const names = header.toLowerCase().split(/[,;\t]/);
  return header.startsWith("#") || (names.length > 1 && !names.includes("metric"));
}

function quoted(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

function headerProblem(path: string, line: number, problem: string): CommandError {
  const advice = problem.includes("NUL") ? ": UTF-16 needs a byte order mark at the beginning" : "";
  return new CommandError(`${path}:${line}: the header ${problem}${advice}`);
}
