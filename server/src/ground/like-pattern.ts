import { TextPattern } from "./text-pattern.ts";

/** An element of a pattern of LIKE. */
type Sign = { kind: "character"; text: string } | { kind: "any one" } | { kind: "anything" };

/**
 * A pattern of SQL's LIKE, case-sensitive: `%` is any text, `_` any one character, and after a
 * backslash they are literal. Databases compare the whole pattern at every place of a text. Here a
 * text takes time in proportion to its length; with `_` also to the pattern's length, 32 characters
 * of it at a time.
 */
export class LikePattern {
  readonly #fits: (text: string) => boolean;

  constructor(pattern: string) {
    const signs = signsOf(pattern);
    if (signs.some(({ kind }) => kind === "any one")) {
      const stepwise = new StepwisePattern(signs);
      this.#fits = (text) => stepwise.holds(text);
      return;
    }
    const parts = literalParts(pattern);
    const whole = TextPattern.ofParts(parts);
    this.#fits = (text) => whole.holds(text);
  }

  fits(text: string): boolean {
    return this.#fits(text);
  }
}

/** Returns a pattern that matches this text alone. */
export function escapedForLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, "\\$&");
}

/** The texts between the wildcards. */
export function literalParts(pattern: string): string[] {
  const parts = [""];
  for (const sign of signsOf(pattern)) {
    if (sign.kind === "character") parts[parts.length - 1] += sign.text;
    else parts.push("");
  }
  return parts;
}

/** The same as a regular expression of PostgreSQL, which reads a text once. */
export function expressionOf(pattern: string): string {
  const signs = signsOf(pattern).map((sign) => {
    if (sign.kind === "character") return sign.text.replace(/[!-/:-@[-`{-~]/, "\\$&");
    return sign.kind === "any one" ? "." : ".*";
  });
  return `^${signs.join("")}$`;
}

function signsOf(pattern: string): Sign[] {
  return Array.from(pattern.matchAll(/\\?./gsu), ([text]): Sign => {
    if (text === "%") return { kind: "anything" };
    if (text === "_") return { kind: "any one" };
    return { kind: "character", text: text.length > 1 ? text.replace(/^\\/, "") : text };
  });
}

/**
 * A pattern with `_`: a bit for each element, set when the elements before it have matched. All
 * bits move at once (Baeza-Yates and Gonnet, shift-and).
 */
class StepwisePattern {
  readonly #words: number;
  readonly #length: number;
  /** States in which any text may come before the next element. */
  readonly #stays: Uint32Array;
  readonly #anyOne: Uint32Array;
  readonly #byCharacter = new Map<string, Uint32Array>();

  constructor(signs: readonly Sign[]) {
    const single = signs.filter(({ kind }) => kind !== "anything");
    this.#length = single.length;
    this.#words = (single.length >>> 5) + 1;
    this.#stays = new Uint32Array(this.#words);
    this.#anyOne = new Uint32Array(this.#words);
    let at = 0;
    for (const sign of signs) {
      if (sign.kind === "anything") setBit(this.#stays, at);
      else if (sign.kind === "any one") setBit(this.#anyOne, at++);
      else {
        const known = this.#byCharacter.get(sign.text) ?? new Uint32Array(this.#words);
        this.#byCharacter.set(sign.text, known);
        setBit(known, at++);
      }
    }
  }

  holds(text: string): boolean {
    const states = new Uint32Array(this.#words);
    states[0] = 1;
    for (const character of text) {
      const own = this.#byCharacter.get(character);
      let carried = 0;
      for (let word = 0; word < this.#words; word++) {
        const met = states[word] & (this.#anyOne[word] | (own?.[word] ?? 0));
        states[word] = (met << 1) | carried | (states[word] & this.#stays[word]);
        carried = met >>> 31;
      }
    }
    return (states[this.#length >>> 5] & (1 << (this.#length & 31))) !== 0;
  }
}

function setBit(bits: Uint32Array, at: number): void {
  bits[at >>> 5] |= 1 << (at & 31);
}
