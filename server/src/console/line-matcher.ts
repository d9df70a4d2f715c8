import { setImmediate } from "node:timers/promises";
import { createContext, Script } from "node:vm";
import type { SearchConsoleBody } from "@lossless/protocol";
import { ServiceError } from "../ground/errors.ts";
import { joinedExpression } from "./joined-expression.ts";
import type { Lines } from "./lines.ts";
import { type LineExpression, MatchedLines } from "./matched-lines.ts";

/**
 * Times of a piece of lines: beyond the first, lines are tried one by one; beyond the second, the
 * expression is refused.
 */
const joinedMsMax = 250;
const stuckMsMax = 2_000;
/** Time of all slices of a call: beyond, the expression is refused. */
const callMsMax = 20_000;

/** Finds lines by a text or a regular expression. */
export class LineMatcher {
  /**
   * Returns the indexes of the lines that match, ascending, of each of some stretches. Gives way
   * between slices of time.
   */
  readonly matchesIn: (stretches: readonly Lines[]) => Promise<number[][]>;

  private constructor(find: LineMatcher["matchesIn"]) {
    this.matchesIn = find;
  }

  /** Throws `bad_request` for a wrong expression, or both or none of `text` and `pattern`. */
  static of({ text, pattern, ignoreCase = false }: SearchConsoleBody): LineMatcher {
    if ((text === undefined) === (pattern === undefined))
      throw new ServiceError("bad_request", "Send one of `text` and `pattern`.");
    if (text !== undefined && !ignoreCase) {
      const bytes = Buffer.from(text);
      return new LineMatcher(async (all) => all.map((lines) => linesWith(lines, bytes)));
    }
    const expression = compiled(text === undefined ? pattern! : RegExp.escape(text), ignoreCase);
    return new LineMatcher(inTime({ alone: expression, joined: joinedExpression(expression) }));
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
 * An expression does not see the lines around the one that it matches. One like `(a+)+$` takes time
 * exponential in a line's length, and only V8 can interrupt it. The context is there for its
 * `timeout`; the thread that watches the time makes a call cost half a millisecond, so one call
 * goes on from stretch to stretch.
 */
function inTime(expression: LineExpression): LineMatcher["matchesIn"] {
  const given: { run?: () => boolean } = {};
  const context = createContext(given);
  const script = new Script("run()");
  return async (stretches) => {
    const matched = new MatchedLines(expression, stretches);
    const endMs = performance.now() + callMsMax;
    given.run = () => matched.search();
    for (;;) {
      const timeout = expression.joined === undefined ? stuckMsMax : joinedMsMax;
      try {
        if (script.runInContext(context, { timeout }) === true) return matched.found;
      } catch (error) {
        if ((error as { code?: string }).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
        if (expression.joined === undefined) throw tooLong();
        expression.joined = undefined;
      }
      if (performance.now() > endMs) throw tooLong();
      await setImmediate();
    }
  };
}

function tooLong(): ServiceError {
  return new ServiceError(
    "bad_request",
    "The regular expression takes too long on a line. Write it without repetitions of repetitions.",
  );
}
