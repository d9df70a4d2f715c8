import { metricNamed } from "@lossless/client";
import { type Separator, splitLine, valueOf, wholeNumber } from "./cells.ts";
import { type Row, readHeader, type WrongRow } from "./row.ts";
import { countedText } from "../output.ts";

export interface WideOptions {
  /** Name of the step column; undefined: found among the usual names. */
  stepColumn: string | undefined;
  baseTimestampMs: number;
}

/** Usual names of a step column, best first; the last ones are those of pandas' index. */
const stepNames = (
  "step,_step,global_step,trainer/global_step,train/global_step,time/total_timesteps," +
  "total_timesteps,timesteps,iteration,iterations,iter,epoch,index,unnamed: 0,"
).split(",");
/** Names of columns that can only be times. */
const timeNames = ["wall time", "wall_time", "_timestamp", "timestamp", "datetime", "elapsed_ms"];
/** Names of columns that may be seconds since the start, or metrics. */
const elapsedNames = ["time", "t", "time/time_elapsed", "elapsed"];

interface Metric {
  index: number;
  column: string;
  name: string;
  meta: Record<string, string> | undefined;
}

/**
 * A file with a row for each step and a column for each metric, as most programs write it. Empty
 * cells are skipped.
 */
export class WideForm {
  /** The columns used as step and time, to be reported; undefined: none. */
  readonly stepColumn: string | undefined;
  readonly timeColumn: string | undefined;
  readonly #separator: Separator;
  readonly #columns: number;
  readonly #step: number;
  readonly #time: number;
  readonly #metrics: Metric[];
  readonly #baseTimestampMs: number;
  readonly #startMs: number | undefined;
  #rows = 0;

  /** Returns the form, or the problem with the header. `startMs` is from the lines before it. */
  static of(header: string, startMs: number | undefined, options: WideOptions): WideForm | string {
    if (typeof readHeader(header) !== "string") {
      return "the file has the columns step,elapsed_ms,metric,value; import it without --wide";
    }
    const separator = separatorOf(header);
    const cells = splitLine(header, separator);
    if (typeof cells === "string") return cells;
    const names = cells.map((cell) => cell.trim());
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) return `the column ${JSON.stringify(twice)} is repeated in the header`;
    const step = stepPlace(names, options.stepColumn);
    if (step === undefined) {
      return `there is no column ${options.stepColumn}; the columns are ${names.join(", ")}`;
    }
    return new WideForm(names, separator, step, startMs, options);
  }

  private constructor(
    names: string[],
    separator: Separator,
    step: number,
    startMs: number | undefined,
    options: WideOptions,
  ) {
    this.#separator = separator;
    this.#columns = names.length;
    this.#step = step;
    const places = [...timeNames, ...elapsedNames].map((name) => placeOf(names, name));
    this.#time = places.find((place) => place >= 0 && place !== step) ?? -1;
    this.stepColumn = names[step];
    this.timeColumn = names[this.#time];
    const isTime = timeNames.includes(this.timeColumn?.toLowerCase() ?? "");
    const isElapsed = startMs !== undefined;
    this.#metrics = names
      .map((column, index) => metricOf(column, index))
      .filter(({ index }) => index !== step && !(index === this.#time && (isTime || isElapsed)));
    this.#baseTimestampMs = options.baseTimestampMs;
    this.#startMs = startMs;
  }

  /** Returns the points of one line; for each cell that is no number a wrong row. */
  read(text: string, line: number): (Row | WrongRow)[] {
    const place = this.#rows++;
    const cells = splitLine(text, this.#separator);
    if (typeof cells === "string") return [{ line, problem: cells }];
    if (cells.length !== this.#columns) {
      return [
        {
          line,
          problem: `has ${countedText(cells.length, "column")}, the header has ${this.#columns}`,
        },
      ];
    }
    const step = this.#step < 0 ? place : wholeNumber(cells[this.#step].trim());
    if (step === undefined || step < 0 || step > 2 ** 53 - 2) {
      return [{ line, problem: `${this.stepColumn} must be a whole number from 0 to 2^53 - 2` }];
    }
    const elapsedMs = this.#time < 0 ? undefined : this.#elapsedMs(cells[this.#time].trim());
    const found: (Row | WrongRow)[] = [];
    for (const { index, column, name, meta } of this.#metrics) {
      const cell = cells[index].trim();
      if (cell === "") continue;
      const value = numberIn(cell);
      if (value === undefined) {
        found.push({
          line,
          column,
          problem: `${column} must be a number, not ${cell.slice(0, 40)}`,
        });
      } else
        found.push({ line, row: line - 1, step, elapsedMs, metric: name, value, meta, column });
    }
    return found;
  }

  /** Skips an unreadable line, which counts where row numbers are the steps. */
  skip(): void {
    this.#rows++;
  }

  #elapsedMs(cell: string): number | undefined {
    const value = valueOf(cell);
    const ms = value === undefined ? dateMs(cell) : this.#timestampMs(value);
    if (ms === undefined || !Number.isFinite(ms)) return undefined;
    const elapsedMs = Math.round(ms) - this.#baseTimestampMs;
    return Number.isSafeInteger(elapsedMs) ? elapsedMs : undefined;
  }

  #timestampMs(value: number): number {
    const start = this.#startMs ?? this.#baseTimestampMs;
    if (this.timeColumn?.toLowerCase() === "elapsed_ms") return start + value;
    // Milliseconds or seconds since 1970, for times after 1973; smaller numbers are seconds since
    // the start.
    if (value >= 1e11) return value;
    return value >= 1e8 ? value * 1_000 : start + value * 1_000;
  }
}

/** The start time in the comment before a header: Stable-Baselines3 writes `#{"t_start": …}`. */
export function startMsIn(comment: string): number | undefined {
  try {
    const { t_start: start } = JSON.parse(comment.slice(1)) as { t_start?: unknown };
    return typeof start === "number" ? start * 1_000 : undefined;
  } catch {
    return undefined;
  }
}

function separatorOf(header: string): Separator {
  const separators = [",", ";", "\t"] as const;
  const counts = separators.map((separator) => splitLine(header, separator).length);
  const isList = separators.map((separator) => Array.isArray(splitLine(header, separator)));
  let best = 0;
  for (let index = 1; index < counts.length; index++) {
    if (isList[index] && (!isList[best] || counts[index] > counts[best])) best = index;
  }
  return separators[best];
}

/**
 * Index of the step column; -1: none, and rows are numbered. undefined: the given one is missing.
 */
function stepPlace(names: string[], named: string | undefined): number | undefined {
  if (named !== undefined) {
    const place = names.indexOf(named.trim());
    return place < 0 ? undefined : place;
  }
  for (const name of stepNames) {
    const place = placeOf(names, name);
    // A column without a name is pandas' index only in the first place.
    if (place >= 0 && (name !== "" || place === 0)) return place;
  }
  return -1;
}

function placeOf(names: string[], name: string): number {
  return names.findIndex((each) => each.toLowerCase() === name);
}

function metricOf(column: string, index: number): Metric {
  const { name, meta } = metricNamed(column === "" ? `column ${index + 1}` : column);
  return { index, column, name, meta: meta.tag === undefined ? undefined : { tag: meta.tag } };
}

function numberIn(cell: string): number | undefined {
  const word = cell.toLowerCase();
  if (word === "true" || word === "false") return Number(word === "true");
  return valueOf(cell);
}

/** Parses an ISO 8601 date; without a zone it is in UTC. */
function dateMs(cell: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d|$)/.test(cell)) return undefined;
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/i.test(cell.slice(10));
  const text = cell.replace(" ", "T");
  const ms = Date.parse(hasZone || text.length === 10 ? text : `${text}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}
