/**
 * A pattern of texts that can be read a piece at a time: the common prefix of paths is compared
 * once. States are whole numbers; 0 is that of the empty text. For any pattern, a text takes time
 * in proportion to its length.
 */
export class TextPattern {
  /** All parts of the pattern concatenated: a state is the number of characters matched. */
  readonly #text: string;
  /** The state to fall back to on a mismatch; equal to the state itself where it stays. */
  readonly #fallbacks: Int32Array;
  readonly #isFolded: boolean;

  private constructor(parts: readonly string[], isFolded: boolean) {
    this.#text = parts.join("");
    this.#fallbacks = fallbacksOf(parts);
    this.#isFolded = isFolded;
  }

  /**
   * Returns a pattern as in the queries' SQL: letters A to Z without regard to case; with `*` it
   * matches the whole text, without one a part of it.
   */
  static like(pattern: string): TextPattern {
    const whole = pattern.includes("*") ? pattern : `*${pattern}*`;
    const folded = whole.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
    return new TextPattern(folded.split(/\*+/), true);
  }

  /** Returns a pattern of texts that have these parts in sequence, with anything in between. */
  static ofParts(parts: readonly string[]): TextPattern {
    return new TextPattern(parts, false);
  }

  /** Returns a pattern of this text alone, case-sensitive. */
  static exactly(text: string): TextPattern {
    return new TextPattern([text], false);
  }

  holds(text: string): boolean {
    return this.fits(this.after(0, text));
  }

  /** Returns the state after one more piece of a text. */
  after(state: number, piece: string): number {
    let next = state;
    for (let unit = 0; unit < piece.length && !this.#isDecided(next); unit++) {
      const sent = piece.charCodeAt(unit);
      const code = this.#isFolded && sent >= 65 && sent <= 90 ? sent + 32 : sent;
      next = this.#afterCode(next, code);
    }
    return next;
  }

  fits(state: number): boolean {
    return state === this.#text.length;
  }

  #isDecided(state: number): boolean {
    return state === hopeless || (this.fits(state) && this.#fallbacks[state] === state);
  }

  #afterCode(state: number, code: number): number {
    for (let from = state; ;) {
      if (this.#text.charCodeAt(from) === code) return from + 1;
      const fallback = this.#fallbacks[from];
      if (fallback === from || fallback === hopeless) return fallback;
      from = fallback;
    }
  }
}

/** A pattern of paths, read a piece at a time: state 0 is that of the empty text. */
export type PathPattern = Pick<TextPattern, "after" | "fits">;

/** A test of whole paths as such a pattern: a state is the number of a text. */
export class WholePaths implements PathPattern {
  readonly #holds: (path: string) => boolean;
  readonly #texts = [""];

  constructor(holds: (path: string) => boolean) {
    this.#holds = holds;
  }

  after(state: number, piece: string): number {
    return this.#texts.push(this.#texts[state] + piece) - 1;
  }

  fits(state: number): boolean {
    return this.#holds(this.#texts[state]);
  }
}

/** State of a text that neither matches nor can match with any continuation. */
export const hopeless = -1;

/**
 * Computes the fallbacks. The first part has to match at the beginning, each other one after the
 * previous at its first occurrence, and the last one at the end: on a mismatch, the longest prefix
 * that ends there stays matched (Knuth, Morris, Pratt).
 */
function fallbacksOf([first, ...others]: readonly string[]): Int32Array {
  const last = others.reduce((length, part) => length + part.length, first.length);
  const fallbacks = new Int32Array(last + 1).fill(hopeless);
  let start = first.length;
  for (const part of others) {
    fallbacks[start] = start;
    for (let length = 1; length <= part.length; length++) {
      let border = length > 1 ? fallbacks[start + length - 1] - start : 0;
      while (border > 0 && part[border] !== part[length - 1])
        border = fallbacks[start + border] - start;
      const isLonger = length > 1 && part[border] === part[length - 1];
      fallbacks[start + length] = start + border + Number(isLonger);
    }
    start += part.length;
  }
  return fallbacks;
}
