import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { pipeline } from "node:stream";
import { CommandError } from "../command.ts";
import { type Columns, readHeader, readRow, type Row, type WrongRow } from "./row.ts";

const lineCharactersMax = 1_048_576;

/**
 * Rows of a .csv or .csv.gz file in constant memory, as groups of the lines of one chunk. Throws
 * CommandError when the file cannot be read or its header is not of the form.
 */
export async function* readRows(path: string): AsyncGenerator<(Row | WrongRow)[]> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let columns: Columns | undefined;
  let line = 0;
  let rest = "";
  const read = (lines: string[]): (Row | WrongRow)[] => {
    const rows: (Row | WrongRow)[] = [];
    for (const whole of lines) {
      line++;
      const text = whole.endsWith("\r") ? whole.slice(0, -1) : whole;
      if (columns === undefined) columns = headerOf(text, path);
      else if (text !== "") rows.push(readRow(text, line, columns));
    }
    return rows;
  };
  try {
    for await (const chunk of bytesOf(path)) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() as string;
      if (rest.length > lineCharactersMax)
        throw new CommandError(`${path}:${line + 1} is too long`);
      yield read(lines);
    }
    if (rest !== "") yield read([rest]);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new CommandError(`there is no file ${path}`);
    const where = line === 0 ? path : `${path} after line ${line}`;
    throw new CommandError(`cannot read ${where}: ${message}`);
  }
  if (columns === undefined) throw new CommandError(`${path} is empty; it needs a header line`);
}

function headerOf(text: string, path: string): Columns {
  const header = readHeader(text);
  if (typeof header !== "string") return header;
  throw new CommandError(`${path}:1: ${header}; it must be step,elapsed_ms,metric,value`);
}

function bytesOf(path: string): AsyncIterable<Buffer> {
  const file = createReadStream(path, { highWaterMark: 262_144 });
  if (!path.endsWith(".gz")) return file;
  // The error of either stream reaches the loop that reads the last one.
  return pipeline(file, createGunzip({ chunkSize: 262_144 }), () => undefined);
}
