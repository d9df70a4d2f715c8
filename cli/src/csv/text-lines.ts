import { CommandError } from "../command.ts";
import { fileBytes, isBrokenOff } from "./file-bytes.ts";
import type { WrongRow } from "./row.ts";

export interface TextLine {
  line: number;
  text: string;
  /** The file ends within the line, which may still be written. */
  isOpen?: boolean;
}

const lineBytesMax = 1_048_576;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Yields the lines of a file, ended by LF, CRLF or CR, grouped by chunk; a line that is not text is
 * reported as wrong, and the others are read. UTF-8, or UTF-16 with a byte order mark. A truncated
 * packed file has a wrong line at its end. Throws CommandError when the file cannot be read.
 */
export async function* textLines(path: string): AsyncGenerator<(TextLine | WrongRow)[]> {
  const splitter = new LineSplitter();
  try {
    for await (const chunk of utf8Of(fileBytes(path), splitter)) yield splitter.take(chunk);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new CommandError(`there is no file ${path}`);
    if (!isBrokenOff(error) || splitter.line === 0) throw unreadable(path, splitter.line, message);
    yield [
      {
        line: splitter.line + 1,
        problem: "the file ends here in the middle: it was not copied completely",
      },
    ];
    return;
  }
  yield splitter.end();
}

function unreadable(path: string, line: number, message: string): CommandError {
  const where = line === 0 ? path : `${path} after line ${line}`;
  const isPacked = path.endsWith(".gz");
  const what = isPacked ? "; a damaged .gz may have wrong rows: gunzip it by hand" : "";
  return new CommandError(`cannot read ${where}: ${message}${what}`);
}

class LineSplitter {
  /** Lines returned so far. */
  line = 0;
  /** The text was UTF-16, and halves of characters became U+FFFD. */
  isUtf16 = false;
  #rest: Buffer = Buffer.alloc(0);
  #separator: number | undefined;
  #isTooLong = false;

  take(chunk: Buffer): (TextLine | WrongRow)[] {
    let data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#separator ??= separatorOf(data);
    const end = this.#separator === undefined ? 0 : data.lastIndexOf(this.#separator) + 1;
    const lines = end === 0 ? [] : this.#lines(data.subarray(0, end - 1));
    data = data.subarray(end);
    // Bytes beyond the limit of a line are dropped.
    this.#isTooLong ||= data.length > lineBytesMax;
    this.#rest = this.#isTooLong ? data.subarray(0, 1) : data;
    return lines;
  }

  end(): (TextLine | WrongRow)[] {
    if (this.#rest.length === 0) return [];
    this.#separator ??= lineFeed;
    const lines = this.#lines(this.#rest);
    const last = lines.at(-1);
    if (last !== undefined && "text" in last && !this.#rest.includes(carriageReturn)) {
      last.isOpen = true;
    }
    return lines;
  }

  #lines(data: Buffer): (TextLine | WrongRow)[] {
    const separator = String.fromCharCode(this.#separator ?? lineFeed);
    const texts = textOf(data)?.split(separator) ?? piecesOf(data, this.#separator ?? lineFeed);
    return texts.map((text) => this.#line(text));
  }

  #line(text: string | undefined): TextLine | WrongRow {
    const line = ++this.line;
    if (this.#isTooLong) {
      this.#isTooLong = false;
      return { line, problem: `has more than ${lineBytesMax} bytes` };
    }
    if (text === undefined) {
      return { line, problem: "is not UTF-8; save the file as UTF-8 to store this row, too" };
    }
    if (text.includes("\0")) return { line, problem: "contains NUL bytes" };
    if (this.isUtf16 && text.includes("\ufffd")) return { line, problem: "is not valid UTF-16" };
    const whole = text.endsWith("\r") ? text.slice(0, -1) : text;
    return { line, text: line === 1 ? whole.replace(/^\ufeff/, "") : whole };
  }
}

/** The byte that ends the first line; undefined: more bytes are needed to tell. */
function separatorOf(data: Buffer): number | undefined {
  const feed = data.indexOf(lineFeed);
  const carriage = data.indexOf(carriageReturn);
  if (carriage < 0 || (feed >= 0 && feed < carriage)) return feed < 0 ? undefined : lineFeed;
  if (carriage + 1 === data.length) return undefined;
  return data[carriage + 1] === lineFeed ? lineFeed : carriageReturn;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function textOf(data: Buffer): string | undefined {
  try {
    return decoder.decode(data);
  } catch {
    return undefined;
  }
}

function piecesOf(data: Buffer, separator: number): (string | undefined)[] {
  const pieces: (string | undefined)[] = [];
  let start = 0;
  while (start <= data.length) {
    const found = data.indexOf(separator, start);
    const end = found < 0 ? data.length : found;
    pieces.push(textOf(data.subarray(start, end)));
    start = end + 1;
  }
  return pieces;
}

async function* utf8Of(
  chunks: AsyncIterable<Buffer>,
  splitter: LineSplitter,
): AsyncGenerator<Buffer> {
  let utf16: TextDecoder | undefined;
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst) utf16 = utf16Of(chunk);
    isFirst = false;
    splitter.isUtf16 = utf16 !== undefined;
    yield utf16 === undefined ? chunk : Buffer.from(utf16.decode(chunk, { stream: true }));
  }
  if (utf16 !== undefined) yield Buffer.from(utf16.decode());
}

function utf16Of(chunk: Buffer): TextDecoder | undefined {
  const mark = chunk.subarray(0, 2).toString("hex");
  if (mark === "fffe") return new TextDecoder("utf-16le");
  return mark === "feff" ? new TextDecoder("utf-16be") : undefined;
}
