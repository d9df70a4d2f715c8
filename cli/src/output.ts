/** Where a command writes: for people, or with --json a JSON document (or lines) for scripts. */
export class Output {
  readonly json: boolean;
  readonly isTerminal: boolean;
  readonly columns: number;
  readonly #out: NodeJS.WritableStream;
  readonly #error: NodeJS.WritableStream;
  /** A bar stands on the current line: whatever is printed next takes its place. */
  #isDrawn = false;

  constructor(json: boolean, out: NodeJS.WriteStream, error: NodeJS.WriteStream) {
    this.json = json;
    this.isTerminal = error.isTTY === true && !json;
    this.columns = error.columns || 80; // 0 where the terminal does not tell
    this.#out = out;
    this.#error = error;
  }

  /** The answer of the command: the JSON value with --json, else the text. */
  answer(value: unknown, text: () => string): void {
    this.line(this.json ? JSON.stringify(value, undefined, 2) : text());
  }

  line(text: string): void {
    this.#clear();
    this.#out.write(`${text}\n`);
  }

  /** Waits while the reader of a long answer is slower than we are. */
  async write(text: string | Uint8Array): Promise<void> {
    this.#clear();
    if (this.#out.write(text)) return;
    await new Promise<void>((resolve) => this.#out.once("drain", resolve));
  }

  /** News on the way, which are no part of the answer: to standard error, and only for people. */
  note(text: string): void {
    if (!this.json) this.warning(text);
  }

  /** The same for what a script's log should have too: why nothing happens, for instance. */
  warning(text: string): void {
    this.#clear();
    this.#error.write(this.json ? `${JSON.stringify({ notice: text })}\n` : `${text}\n`);
  }

  /** Draws over the current line of the terminal; nothing to draw clears it. */
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

  /** Why the command ends, to standard error; with --json one line, with a code for scripts. */
  failure(message: string, code = "failed"): void {
    this.#clear();
    const line = this.json ? JSON.stringify({ error: code, message }) : `lossless: ${message}`;
    this.#error.write(`${line}\n`);
  }
}

/** Columns of text aligned under their headings. */
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

/** Names come from anybody: control characters must not reach the terminal. */
export function printable(text: string | undefined): string {
  return (text ?? "").replaceAll(/\p{Cc}|\p{Cf}/gu, "\u{fffd}");
}

export function timeText(timeMs: number | null): string {
  return timeMs === null ? "-" : new Date(timeMs).toISOString().replace(".000Z", "Z");
}

export function countText(count: number): string {
  return count.toLocaleString("en");
}

const byteUnits = ["B", "kB", "MB", "GB", "TB", "PB"] as const;

/** Three digits are enough: `1.23 GB`, `45.6 MB`, `789 B`. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // 999.5 would be shown as 1000.
  while (value >= 999.5 && unit < byteUnits.length - 1) {
    value /= 1_000;
    unit++;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${byteUnits[unit]}`;
}

/** `45 s`, `12 min`, `3 h 20 min`. */
export function durationText(seconds: number): string {
  if (seconds < 100) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
