import { QueryError } from "./query-error.ts";
import { type Expression, readExpression } from "./text-expression-syntax.ts";

/**
 * Instructions that the repetitions of an expression may be written out to. PostgreSQL, which
 * writes them out as well, refuses some expressions of several times as many.
 */
const instructionsMax = 600;
/** Cached transitions, beyond which all are forgotten. */
const transitionsMax = 20_000;

/**
 * A regular expression that a text has to contain, letters A to Z without regard to case. A text
 * takes time in proportion to its length: the expression is an automaton, without the steps back
 * that look-around and back-references would need.
 */
export class TextExpression {
  readonly #tree: Expression;
  readonly #instructions: readonly Instruction[];
  readonly #entry: number;
  readonly #states = new Map<string, State>();
  #transitions = 0;

  private constructor(tree: Expression, instructions: readonly Instruction[], entry: number) {
    this.#tree = tree;
    this.#instructions = instructions;
    this.#entry = entry;
  }

  /** Parses an expression without its slashes, which begins at `at`. Throws QueryError. */
  static parse(text: string, at = 0): TextExpression {
    const tree = readExpression(text, at);
    const instructions: Instruction[] = [{ kind: "found" }];
    const entry = append(instructions, tree, 0, at);
    return new TextExpression(tree, instructions, entry);
  }

  holds(text: string): boolean {
    let state = this.#state(this.#closure([this.#entry], true, false));
    for (const character of text) {
      if (state.isFound) return true;
      state = this.#after(state, foldedCode(character.codePointAt(0)!));
    }
    if (state.isFound) return true;
    return this.#closure(state.places, text === "", true).includes(0);
  }

  /** The same for PostgreSQL, of a text whose letters A to Z are small. */
  get forPostgres(): string {
    return printed(this.#tree);
  }

  #after(state: State, code: number): State {
    const known = state.next.get(code);
    if (known !== undefined) return known;
    if (++this.#transitions > transitionsMax) {
      this.#transitions = 1;
      this.#states.clear();
      state.next.clear();
    }
    const following = state.places.flatMap((place) => {
      const instruction = this.#instructions[place];
      return instruction.kind === "set" && has(instruction, code) ? [instruction.next] : [];
    });
    const next = this.#state(this.#closure([...following, this.#entry], false, false));
    state.next.set(code, next);
    return next;
  }

  #state(places: readonly number[]): State {
    const key = places.join();
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const state = { places, isFound: places.includes(0), next: new Map<number, State>() };
    this.#states.set(key, state);
    return state;
  }

  /** The places that are reached from some without a character. */
  #closure(places: readonly number[], isStart: boolean, isEnd: boolean): number[] {
    const seen = new Set<number>();
    const open = [...places];
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      if (seen.has(place)) continue;
      seen.add(place);
      const instruction = this.#instructions[place];
      if (instruction.kind === "split") open.push(...instruction.next);
      else if (instruction.kind === "start" ? isStart : instruction.kind === "end" && isEnd)
        open.push((instruction as Edge).next);
    }
    return [...seen].filter((place) => this.#instructions[place].kind !== "split").sort(ascending);
  }
}

interface State {
  /** Numbers of instructions, ascending. */
  places: readonly number[];
  /** Whether the text read so far contains the expression. */
  isFound: boolean;
  next: Map<number, State>;
}

type CharacterSet = Extract<Expression, { kind: "set" }>;
type Edge = { kind: "start" | "end"; next: number };
type Instruction =
  | { kind: "found" }
  | { kind: "split"; next: number[] }
  | Edge
  | (CharacterSet & { next: number });

/** Appends the instructions of an expression before `next`; returns the first of them. */
function append(to: Instruction[], tree: Expression, next: number, at: number): number {
  if (to.length > instructionsMax)
    throw new QueryError(at, "an expression with fewer or smaller repetitions");
  switch (tree.kind) {
    case "set":
    case "start":
    case "end":
      return to.push({ ...tree, next }) - 1;
    case "sequence":
      return tree.parts.reduceRight((after, part) => append(to, part, after, at), next);
    case "choice": {
      const choices = tree.parts.map((part) => append(to, part, next, at));
      return to.push({ kind: "split", next: choices }) - 1;
    }
    case "repeat": {
      let first = next;
      if (tree.most === Infinity) {
        const again: Instruction = { kind: "split", next: [next] };
        first = to.push(again) - 1;
        again.next.push(append(to, tree.part, first, at));
      } else
        for (let count = tree.least; count < tree.most; count++)
          first = to.push({ kind: "split", next: [append(to, tree.part, first, at), next] }) - 1;
      for (let count = 0; count < tree.least; count++) first = append(to, tree.part, first, at);
      return first;
    }
  }
}

function has({ ranges, isOther }: CharacterSet, code: number): boolean {
  return ranges.some(([from, to]) => code >= from && code <= to) !== isOther;
}

function foldedCode(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}

function ascending(left: number, right: number): number {
  return left - right;
}

function printed(tree: Expression): string {
  switch (tree.kind) {
    case "start":
      return "^";
    case "end":
      return "$";
    case "set":
      return printedSet(tree);
    case "sequence":
      return tree.parts.map(printed).join("");
    case "choice":
      return `(?:${tree.parts.map(printed).join("|")})`;
    case "repeat": {
      const most = tree.most === Infinity ? "" : tree.most;
      return `(?:${printed(tree.part)}){${tree.least},${most}}`;
    }
  }
}

function printedSet({ ranges, isOther }: CharacterSet): string {
  if (ranges.length === 0) return ".";
  const [[from, to]] = ranges;
  if (!isOther && ranges.length === 1 && from === to) return printedCode(from);
  const listed = ranges.map(([first, last]) =>
    first === last ? printedCode(first) : `${printedCode(first)}-${printedCode(last)}`,
  );
  return `[${isOther ? "^" : ""}${listed.join("")}]`;
}

function printedCode(code: number): string {
  const character = String.fromCodePoint(code);
  if (/^[A-Za-z0-9]$/.test(character)) return character;
  const digits = code.toString(16);
  return code > 0xffff ? `\\U${digits.padStart(8, "0")}` : `\\u${digits.padStart(4, "0")}`;
}
