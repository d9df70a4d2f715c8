import {
  alphabets,
  bounded,
  functions,
  letterIn,
  spaces,
  symbols,
  type SymbolKind,
} from "./symbols.ts";

/** An element of MathML. */
export interface MathNode {
  tag: string;
  attributes?: Record<string, string>;
  children: (MathNode | string)[];
}

/** A formula that is not of the known part of LaTeX; the message says why. */
export class FormulaError extends Error {}

/** Groups within each other at most. */
const depthMax = 50;

/** Reads a formula of LaTeX as MathML; throws FormulaError. */
export function readFormula(source: string): MathNode {
  const reader = new FormulaReader(tokensOf(source));
  const row = reader.row(() => false);
  if (reader.next !== undefined) throw new FormulaError(`${reader.next} closes nothing`);
  return row;
}

/** Commands, braces and characters; spaces only separate. */
function tokensOf(source: string): string[] {
  return source.match(/\\[A-Za-z]+\*?|\\[^A-Za-z]|\d+(?:\.\d+)?|\s+|[^\s\\]/gu) ?? [];
}

class FormulaReader {
  readonly #tokens: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  /** The next token that is no space. */
  get next(): string | undefined {
    while (/^\s/.test(this.#tokens[this.#at] ?? "")) this.#at++;
    return this.#tokens[this.#at];
  }

  /** Reads up to a token that ends the row. */
  row(isEnd: (token: string) => boolean): MathNode {
    if (this.#depth++ > depthMax) throw new FormulaError("it has too many groups in each other");
    const children: MathNode[] = [];
    for (;;) {
      const token = this.next;
      if (token === undefined || token === "}" || token === "\\right" || isEnd(token)) break;
      children.push(this.#scripted());
    }
    this.#depth--;
    return children.length === 1 ? children[0] : { tag: "mrow", children };
  }

  /** An atom with what stands below and above it. */
  #scripted(): MathNode {
    const { node, hasLimits } = this.#atom();
    let sub: MathNode | undefined;
    let sup: MathNode | undefined;
    for (;;) {
      if (this.next === "_" && sub === undefined) sub = (this.#take(), this.#argument());
      else if (this.next === "^" && sup === undefined) sup = (this.#take(), this.#argument());
      else if (this.next === "'") sup = joined(sup, (this.#take(), element("mo", "′")));
      else break;
    }
    const [both, below, above] = hasLimits
      ? ["munderover", "munder", "mover"]
      : ["msubsup", "msub", "msup"];
    if (sub !== undefined && sup !== undefined) return { tag: both, children: [node, sub, sup] };
    if (sub !== undefined) return { tag: below, children: [node, sub] };
    return sup === undefined ? node : { tag: above, children: [node, sup] };
  }

  #atom(): { node: MathNode; hasLimits?: boolean } {
    const token = this.#take();
    if (token === "{") {
      const node = this.row((each) => each === "}");
      this.#expect("}");
      return { node };
    }
    if (/^\d/.test(token)) return { node: element("mn", token) };
    if (/^\p{L}/u.test(token)) return { node: element("mi", token) };
    if (token.startsWith("\\") && token.length > 1) return this.#command(token.slice(1));
    if ("_^&".includes(token)) throw new FormulaError(`a value is missing before ${token}`);
    return { node: element("mo", token === "-" ? "−" : token) };
  }

  #command(name: string): { node: MathNode; hasLimits?: boolean } {
    const symbol = symbols.get(name);
    if (symbol !== undefined) return this.#symbol(symbol);
    if (functions.has(name)) return { node: element("mi", name) };
    if (bounded.has(name)) return { node: element("mo", name), hasLimits: true };
    const width = spaces.get(name);
    if (width !== undefined)
      return { node: { tag: "mspace", attributes: { width }, children: [] } };
    if (name === "text" || name === "textbf" || name === "mbox")
      return { node: element("mtext", this.#plain()) };
    if (alphabets.has(name)) return { node: this.#inAlphabet(name) };
    if (name === "frac" || name === "dfrac" || name === "tfrac")
      return { node: { tag: "mfrac", children: [this.#argument(), this.#argument()] } };
    if (name === "binom") return { node: this.#binomial() };
    if (name === "sqrt") return { node: this.#root() };
    if (name === "left") return { node: this.#fenced() };
    if (name === "begin") return { node: this.#environment() };
    if (name === "underbrace" || name === "overbrace") return { node: this.#argument() };
    if (/^[{}%$&#_]$/.test(name)) return { node: element("mo", name) };
    if (name === "|") return { node: element("mo", "‖") };
    if (["displaystyle", "textstyle", "limits", "nolimits"].includes(name))
      return { node: { tag: "mrow", children: [] } };
    throw new FormulaError(`\\${name} is not known here`);
  }

  #symbol({ kind, text }: { kind: SymbolKind; text: string }) {
    if (kind === "mi" || kind === "mo") return { node: element(kind, text) };
    if (kind === "integral") return { node: element("mo", text) };
    if (kind === "large") return { node: element("mo", text), hasLimits: true };
    const children = [this.#argument(), element("mo", text)];
    return { node: { tag: "mover", attributes: { accent: "true" }, children } };
  }

  #inAlphabet(name: string): MathNode {
    const letters = this.#plain().replaceAll(/[A-Za-z]/g, (each) => letterIn(name, each));
    return { tag: "mi", attributes: { mathvariant: "normal" }, children: [letters] };
  }

  #binomial(): MathNode {
    const children = [this.#argument(), this.#argument()];
    const over = { tag: "mfrac", attributes: { linethickness: "0" }, children };
    return { tag: "mrow", children: [element("mo", "("), over, element("mo", ")")] };
  }

  #root(): MathNode {
    if (this.next !== "[") return { tag: "msqrt", children: [this.#argument()] };
    this.#take();
    const degree = this.row((each) => each === "]");
    this.#expect("]");
    return { tag: "mroot", children: [this.#argument(), degree] };
  }

  #fenced(): MathNode {
    const open = this.#fence();
    const inside = this.row(() => false);
    this.#expect("\\right");
    return { tag: "mrow", children: [...open, inside, ...this.#fence()] };
  }

  /** The sign of a fence that is as high as what it contains; a dot is none. */
  #fence(): MathNode[] {
    const token = this.#take();
    if (token === ".") return [];
    const text = symbols.get(token.slice(1))?.text ?? token.replace(/^\\/, "");
    return [{ ...element("mo", text), attributes: { stretchy: "true" } }];
  }

  #environment(): MathNode {
    const name = this.#plain();
    const fences = environments[name];
    if (fences === undefined) throw new FormulaError(`\\begin{${name}} is not known here`);
    const rows: MathNode[] = [];
    for (;;) {
      const cells: MathNode[] = [];
      for (;;) {
        const cell = this.row((each) => each === "&" || each === "\\\\" || each === "\\end");
        cells.push({ tag: "mtd", children: [cell] });
        if (this.next !== "&") break;
        this.#take();
      }
      rows.push({ tag: "mtr", children: cells });
      if (this.next !== "\\\\") break;
      this.#take();
    }
    this.#expect("\\end");
    const end = this.#plain();
    if (end !== name) throw new FormulaError(`\\begin{${name}} ends as \\end{${end}}`);
    const sign = (text: string) => (text === "" ? [] : [element("mo", text)]);
    const table: MathNode = { tag: "mtable", children: rows };
    return { tag: "mrow", children: [...sign(fences[0]), table, ...sign(fences[1])] };
  }

  /** A group, or a single atom. */
  #argument(): MathNode {
    if (this.next === undefined) throw new FormulaError("it ends where a value has to follow");
    return this.#atom().node;
  }

  /** The text of a group, as it stands there. */
  #plain(): string {
    if (this.next !== "{") return this.#take();
    this.#take();
    let text = "";
    for (let depth = 1; ;) {
      const token = this.#tokens[this.#at++];
      if (token === undefined) throw new FormulaError("a { is not closed");
      if (token === "{") depth++;
      if (token === "}" && --depth === 0) return text;
      text += token;
    }
  }

  #take(): string {
    const token = this.next;
    if (token === undefined) throw new FormulaError("it ends too early");
    this.#at++;
    return token;
  }

  #expect(wanted: string): void {
    if (this.next !== wanted) throw new FormulaError(`${wanted} is missing`);
    this.#at++;
  }
}

/** Tables with the signs around them. */
const environments: Readonly<Record<string, readonly [string, string]>> = {
  matrix: ["", ""],
  pmatrix: ["(", ")"],
  bmatrix: ["[", "]"],
  vmatrix: ["|", "|"],
  cases: ["{", ""],
  aligned: ["", ""],
  align: ["", ""],
};

function element(tag: string, text: string): MathNode {
  return { tag, children: [text] };
}

function joined(before: MathNode | undefined, next: MathNode): MathNode {
  return before === undefined ? next : { tag: "mrow", children: [before, next] };
}
