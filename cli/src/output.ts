/** Said where a reply `isBehind`. */
export const fromBeforeText = "what was recorded before the last upgrade is still looked through";

/** Output of a command: text for people, or with --json a JSON document (or lines) for scripts. */
export class Output {
  readonly json: boolean;
  readonly isTerminal: boolean;
  readonly columns: number;
  readonly #out: NodeJS.WritableStream;
  readonly #error: NodeJS.WritableStream;
  /** A bar is on the current line: the next output replaces it. */
  #isDrawn = false;

  constructor(json: boolean, out: NodeJS.WriteStream, error: NodeJS.WriteStream) {
    this.json = json;
    this.isTerminal = error.isTTY === true && !json;
    this.columns = error.columns || 80; // 0 where the terminal does not report it
    this.#out = out;
    this.#error = error;
  }

  /** Prints the command's result: with --json the JSON value, else the text. */
  answer(value: unknown, text: () => string): void {
    this.line(this.json ? JSON.stringify(value, undefined, 2) : text());
  }

  line(text: string): void {
    this.#clear();
    this.#out.write(`${text}\n`);
  }

  /** Writes text; waits while the reader is slower. */
  async write(text: string | Uint8Array): Promise<void> {
    this.#clear();
    if (this.#out.write(text)) return;
    await new Promise<void>((resolve) => this.#out.once("drain", resolve));
  }

  /** Prints a remark that is not part of the result: to standard error, not with --json. */
  note(text: string): void {
    if (!this.json) this.warning(text);
  }

  /** Prints a remark to standard error with --json too, for the logs of scripts. */
  warning(text: string): void {
    this.#clear();
    this.#error.write(this.json ? `${JSON.stringify({ notice: text })}\n` : `${text}\n`);
  }

  /** Draws over the current line of the terminal; an empty text clears it. */
  redraw(text: string): void {
    if (!this.isTerminal) return;
    if (text === "") return this.#clear();
    this.#error.write(`\r${text}\u001b[K`);
    this.#isDrawn = true;
  }

  #clear(): void {
    if (this.#isDrawn) this.#error.write("\r\u001b[K");
    this.#isDrawn = false;
  }

  /** Prints the command's error to standard error; with --json one line with a code. */
  failure(message: string, code = "failed"): void {
    this.#clear();
    const line = this.json ? JSON.stringify({ error: code, message }) : `lossless: ${message}`;
    this.#error.write(`${line}\n`);
  }
}

/** Aligns columns of text under their headings. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    rows.reduce((width, row) => Math.max(width, printable(row[column]).length), heading.length),
  );
  const line = (cells: readonly (string | undefined)[]): string =>
    cells
      .map((cell, column) => printable(cell).padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [line(headings), ...rows.map(line)].join("\n");
}

/** Replaces control characters, which must not reach the terminal: names may contain any. */
export function printable(text: string | undefined): string {
  return (text ?? "").replaceAll(/\p{Cc}|\p{Cf}/gu, "\u{fffd}");
}

export function timeText(timeMs: number | null): string {
  return timeMs === null ? "-" : new Date(timeMs).toISOString().replace(".000Z", "Z");
}

export function countText(count: number): string {
  return count.toLocaleString("en");
}

/** A count with its noun: `3 files`, `1 file`, `2 entries`. */
export function countedText(count: number, word: string, plural = `${word}s`): string {
  return `${countText(count)} ${count === 1 ? word : plural}`;
}

const byteUnits = ["B", "kB", "MB", "GB", "TB", "PB"] as const;

/** Formats bytes with three digits: `1.23 GB`, `45.6 MB`, `789 B`. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // 999.5 would be rounded to 1000.
  while (value >= 999.5 && unit < byteUnits.length - 1) {
    value /= 1_000;
    unit++;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${byteUnits[unit]}`;
}

/** Formats a duration: `45 s`, `12 min`, `3 h 20 min`. */
export function durationText(seconds: number): string {
  if (seconds < 100) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
