import { QueryError } from "./query-error.ts";

/** A regular expression as a tree. */
export type Expression =
  /** One character of the ranges of code points, or, with `isOther`, of none of them. */
  | { kind: "set"; ranges: readonly Range[]; isOther: boolean }
  | { kind: "start" | "end" }
  | { kind: "sequence" | "choice"; parts: readonly Expression[] }
  | { kind: "repeat"; part: Expression; least: number; most: number };

/** The first and the last code point. */
type Range = readonly [number, number];

/** The greatest number in braces, as in PostgreSQL. */
const repeatMax = 255;
const depthMax = 32;

/**
 * Parses a regular expression: `.`, `[a-z]`, `\d`, `\w`, `\s`, `^`, `$`, `|`, groups, `*`, `+`,
 * `?`, `{m,n}`. Letters A to Z are read as small ones.
 */
export function readExpression(text: string, at: number): Expression {
  return new ExpressionReader(text, at).whole();
}

const digits: Range = [48, 57];
const spaces: readonly Range[] = [
  [9, 13],
  [32, 32],
];
/** Sets that have a letter; the capital letter stands for all others. */
const named: Readonly<Record<string, readonly Range[]>> = {
  d: [digits],
  w: [digits, [95, 95], [97, 122]],
  s: spaces,
};
const controls: Readonly<Record<string, number>> = { t: 9, n: 10, r: 13 };

class ExpressionReader {
  readonly #text: string;
  /** Characters of the query before the expression. */
  readonly #before: number;
  #at = 0;
  #depth = 0;

  constructor(text: string, before: number) {
    this.#text = text;
    this.#before = before;
  }

  whole(): Expression {
    const read = this.#choice();
    if (this.#at < this.#text.length) this.#fail("an opening ( before this one");
    return read;
  }

  #choice(): Expression {
    const parts = [this.#sequence()];
    while (this.#take("|")) parts.push(this.#sequence());
    return parts.length === 1 ? parts[0] : { kind: "choice", parts };
  }

  #sequence(): Expression {
    const parts: Expression[] = [];
    while (this.#at < this.#text.length && !"|)".includes(this.#next)) parts.push(this.#repeated());
    return parts.length === 1 ? parts[0] : { kind: "sequence", parts };
  }

  #repeated(): Expression {
    const part = this.#single();
    const bounds = this.#bounds();
    if (bounds === undefined) return part;
    if (part.kind === "start" || part.kind === "end")
      this.#fail("a character or a group before a repetition");
    // Whether a repetition takes much or little does not matter for whether it is found.
    this.#take("?");
    if (this.#at < this.#text.length && "*+?".includes(this.#next))
      this.#fail("a repetition of a group, as in (?:a*)*");
    return { kind: "repeat", part, ...bounds };
  }

  #bounds(): { least: number; most: number } | undefined {
    if (this.#take("*")) return { least: 0, most: Infinity };
    if (this.#take("+")) return { least: 1, most: Infinity };
    if (this.#take("?")) return { least: 0, most: 1 };
    const [braces, first, comma, last] = /^\{(\d{1,3})(,?)(\d{0,3})\}/.exec(this.#rest) ?? [];
    if (braces === undefined) return undefined;
    const least = Number(first);
    const most = comma === "" ? least : last === "" ? Infinity : Number(last);
    const isFit = least <= repeatMax && (most === Infinity || (most <= repeatMax && most > 0));
    if (!isFit || most < least) this.#fail(`repetitions of 1 to ${repeatMax}, the less first`);
    this.#at += braces.length;
    return { least, most };
  }

  #single(): Expression {
    if (this.#take("(")) return this.#group();
    if (this.#take("[")) return this.#set();
    if (this.#take("^")) return { kind: "start" };
    if (this.#take("$")) return { kind: "end" };
    if (this.#take(".")) return { kind: "set", ranges: [], isOther: true };
    if ("*+?".includes(this.#next)) this.#fail("a character or a group before a repetition");
    if (this.#next === "\\") {
      const letter = this.#text[this.#at + 1] ?? "";
      const small = letter.toLowerCase();
      if (Object.hasOwn(named, small)) {
        this.#at += 2;
        return { kind: "set", ranges: named[small], isOther: letter !== small };
      }
    }
    const code = this.#code();
    return { kind: "set", ranges: folded([[code, code]]), isOther: false };
  }

  #group(): Expression {
    if (++this.#depth > depthMax) this.#fail(`at most ${depthMax} groups within each other`);
    if (this.#next === "?" && !this.#take("?:"))
      this.#fail("a plain group: look-around and options are not known");
    const group = this.#choice();
    this.#depth--;
    if (!this.#take(")")) this.#fail("a closing )");
    return group;
  }

  #set(): Expression {
    const isOther = this.#take("^");
    const ranges: Range[] = [];
    do {
      const letter = this.#next === "\\" ? (this.#text[this.#at + 1] ?? "") : "";
      if (Object.hasOwn(named, letter)) {
        this.#at += 2;
        ranges.push(...named[letter]);
        continue;
      }
      const from = this.#code();
      const isRange = this.#next === "-" && !["]", ""].includes(this.#text[this.#at + 1] ?? "");
      if (isRange) this.#at++;
      const to = isRange ? this.#code() : from;
      if (to < from) this.#fail("a range from the lesser to the greater character");
      ranges.push([from, to]);
    } while (this.#next !== "]" && this.#at < this.#text.length);
    if (!this.#take("]")) this.#fail("a closing ]");
    return { kind: "set", ranges: folded(ranges), isOther };
  }

  /** The code point of a character, which may be behind a backslash. */
  #code(): number {
    const isEscaped = this.#take("\\");
    const code = this.#text.codePointAt(this.#at);
    if (code === undefined) this.#fail(isEscaped ? "a character after \\" : "a character");
    // No stored text has these.
    if (code === 0 || (code >= 0xd800 && code <= 0xdfff)) this.#fail("another character");
    const character = String.fromCodePoint(code);
    if (isEscaped && /[A-Za-z0-9]/.test(character)) {
      const control = controls[character];
      if (control === undefined)
        this.#fail("one of \\d \\w \\s \\D \\W \\S \\t \\n \\r, or a sign after \\");
      this.#at++;
      return control;
    }
    this.#at += character.length;
    return code;
  }

  get #next(): string {
    return this.#text[this.#at] ?? "";
  }

  get #rest(): string {
    return this.#text.slice(this.#at);
  }

  #take(sign: string): boolean {
    if (!this.#text.startsWith(sign, this.#at)) return false;
    this.#at += sign.length;
    return true;
  }

  #fail(expected: string): never {
    throw new QueryError(this.#before + this.#at, `${expected} in the regular expression`);
  }
}

/** The ranges with small letters for the capital ones in them: texts are read in small letters. */
function folded(ranges: readonly Range[]): Range[] {
  return ranges.flatMap(([from, to]): Range[] => {
    const [first, last] = [Math.max(from, 65), Math.min(to, 90)];
    if (first > last) return [[from, to]];
    const isSingle = from === to;
    const small: Range = [first + 32, last + 32];
    return isSingle ? [small] : [[from, to], small];
  });
}
