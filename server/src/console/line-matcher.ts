import { setImmediate } from "node:timers/promises";
import { createContext, Script } from "node:vm";
import type { SearchConsoleBody } from "@lossless/protocol";
import { ServiceError } from "../ground/errors.ts";
import type { Lines } from "./lines.ts";

/** Time after which a regular expression gives way; it is looked at every few lines. */
const sliceMs = 20;
const linesPerLook = 16;
/** Time of such lines, and of all slices of a block: beyond, the expression is refused. */
const stuckMsMax = 2_000;
const blockMsMax = 20_000;

/** Finds lines by a text or a regular expression. */
export class LineMatcher {
  /** Returns the indexes of the lines that match, ascending. Gives way between slices of time. */
  readonly matchesIn: (lines: Lines) => Promise<number[]>;

  private constructor(find: (lines: Lines) => number[] | Promise<number[]>) {
    this.matchesIn = async (lines) => find(lines);
  }

  /** Throws `bad_request` for a wrong expression, or both or none of `text` and `pattern`. */
  static of({ text, pattern, ignoreCase = false }: SearchConsoleBody): LineMatcher {
    if ((text === undefined) === (pattern === undefined))
      throw new ServiceError("bad_request", "Send one of `text` and `pattern`.");
    if (text !== undefined && !ignoreCase) {
      const bytes = Buffer.from(text);
      return new LineMatcher((lines) => linesWith(lines, bytes));
    }
    const expression = compiled(text === undefined ? pattern! : RegExp.escape(text), ignoreCase);
    return new LineMatcher(inTime(expression));
  }
}

function compiled(pattern: string, ignoreCase: boolean): RegExp {
  try {
    return new RegExp(pattern, ignoreCase ? "i" : "");
  } catch (error) {
    const reason = (error as Error).message.replace(/^Invalid regular expression: /, "");
    throw new ServiceError("bad_request", `The regular expression is wrong: ${reason}.`);
  }
}

function linesWith(lines: Lines, bytes: Buffer): number[] {
  const found: number[] = [];
  for (let at = lines.text.indexOf(bytes); at >= 0;) {
    const line = lines.lineAt(at);
    found.push(line);
    const next = lines.startOf(line + 1);
    at = next > lines.text.length ? -1 : lines.text.indexOf(bytes, next);
  }
  return found;
}

/**
 * Matches each line by itself: an expression does not see the lines around it. One like `(a+)+$`
 * takes time exponential in a line's length, and only V8 can interrupt it. The context is there for
 * its `timeout`; the thread that watches the time makes a call cost half a millisecond.
 */
function inTime(expression: RegExp): (lines: Lines) => Promise<number[]> {
  const given: { run?: () => number } = {};
  const context = createContext(given);
  const script = new Script("run()");
  return async (lines) => {
    const texts = lines.text.toString("utf8").split("\n");
    const found: number[] = [];
    const endMs = performance.now() + blockMsMax;
    for (let at = 0; at < texts.length;) {
      given.run = () => matchSlice(texts, expression, at, found);
      try {
        at = script.runInContext(context, { timeout: stuckMsMax }) as number;
      } catch (error) {
        if ((error as { code?: string }).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
        throw tooLong();
      }
      if (performance.now() > endMs) throw tooLong();
      if (at < texts.length) await setImmediate();
    }
    return found;
  };
}

/** Matches lines from one on until the slice of time is over; returns the next line. */
function matchSlice(
  texts: readonly string[],
  expression: RegExp,
  from: number,
  found: number[],
): number {
  const endMs = performance.now() + sliceMs;
  for (let line = from; line < texts.length; line++) {
    if (line > from && line % linesPerLook === 0 && performance.now() > endMs) return line;
    if (expression.test(texts[line])) found.push(line);
  }
  return texts.length;
}

function tooLong(): ServiceError {
  return new ServiceError(
    "bad_request",
    "The regular expression takes too long on a line. Write it without repetitions of repetitions.",
  );
}
