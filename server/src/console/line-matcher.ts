import { createContext, Script } from "node:vm";
import type { SearchConsoleBody } from "@lossless/protocol";
import { ServiceError } from "../ground/errors.ts";
import type { Lines } from "./lines.ts";

/** Time of a regular expression in the lines given at once: some ten milliseconds are usual. */
const matchMsMax = 500;

/** Finds lines by a text or a regular expression. */
export class LineMatcher {
  /** Returns the indexes of the lines that match, ascending, for each of some blocks of lines. */
  readonly matchesIn: (blocks: readonly Lines[]) => number[][];

  private constructor(find: (lines: Lines) => number[], isBounded: boolean) {
    const matches = (blocks: readonly Lines[]) => blocks.map(find);
    this.matchesIn = isBounded ? matches : inTime(matches);
  }

  /** Throws `bad_request` for a wrong expression, or both or none of `text` and `pattern`. */
  static of({ text, pattern, ignoreCase = false }: SearchConsoleBody): LineMatcher {
    if ((text === undefined) === (pattern === undefined))
      throw new ServiceError("bad_request", "Send one of `text` and `pattern`.");
    if (text !== undefined && !ignoreCase) {
      const bytes = Buffer.from(text);
      return new LineMatcher((lines) => linesWith(lines, bytes), true);
    }
    const expression = compiled(text === undefined ? pattern! : RegExp.escape(text), ignoreCase);
    return new LineMatcher((lines) => linesMatching(lines, expression), false);
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

/** Each line by itself: an expression does not see the lines around it. */
function linesMatching(lines: Lines, expression: RegExp): number[] {
  const text = lines.text.toString("utf8");
  const found: number[] = [];
  for (let line = 0, at = 0; line < lines.count; line++) {
    const feed = text.indexOf("\n", at);
    const end = feed < 0 ? text.length : feed;
    if (expression.test(text.slice(at, end))) found.push(line);
    at = end + 1;
  }
  return found;
}

/**
 * Bounds the time of a search that may never end: an expression like `(a+)+$` takes time
 * exponential in a line's length, and only V8 can interrupt it. The context is there for its
 * `timeout`; the thread that watches the time makes a call cost half a millisecond.
 */
function inTime<Found>(
  match: (blocks: readonly Lines[]) => Found,
): (blocks: readonly Lines[]) => Found {
  const given: { run?: () => Found } = {};
  const context = createContext(given);
  const script = new Script("run()");
  return (blocks) => {
    given.run = () => match(blocks);
    try {
      return script.runInContext(context, { timeout: matchMsMax }) as Found;
    } catch (error) {
      if ((error as { code?: string }).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
      throw new ServiceError(
        "bad_request",
        "The regular expression takes too long on a line. Write it without repetitions of repetitions.",
      );
    }
  };
}
