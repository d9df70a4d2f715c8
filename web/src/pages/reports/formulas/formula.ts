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
    const atoms: Atom[] = [];
    for (;;) {
      const token = this.next;
      if (token === undefined || token === "}" || token === "\\right" || isEnd(token)) break;
      atoms.push(this.#scripted());
    }
    this.#depth--;
    const children = spaced(atoms);
    return children.length === 1 ? children[0] : { tag: "mrow", children };
  }

  /** An atom with what stands below and above it. */
  #scripted(): Atom {
    const { node, hasLimits, isFunction } = this.#atom();
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
    const scripts = [sub, sup].filter((script) => script !== undefined);
    if (scripts.length === 0) return { node, isFunction };
    const tag = scripts.length === 2 ? both : sub !== undefined ? below : above;
    return { node: { tag, children: [node, ...scripts] }, isFunction };
  }

  #atom(): Atom {
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
    return { node: operator(token === "-" ? "−" : token) };
  }

  #command(name: string): Atom {
    const symbol = symbols.get(name);
    if (symbol !== undefined) return this.#symbol(symbol);
    if (functions.has(name)) return { node: element("mi", name), isFunction: true };
    if (bounded.has(name)) return { node: boundedName(name), hasLimits: true, isFunction: true };
    const width = spaces.get(name);
    if (width !== undefined)
      return { node: { tag: "mspace", attributes: { width }, children: [] } };
    if (name === "text" || name === "textbf" || name === "mbox")
      return { node: element("mtext", this.#plain()) };
    if (alphabets.has(name))
      return { node: this.#inAlphabet(name), isFunction: name === "operatorname" };
    if (name === "frac" || name === "dfrac" || name === "tfrac")
      return { node: { tag: "mfrac", children: [this.#argument(), this.#argument()] } };
    if (name === "binom") return { node: this.#binomial() };
    if (name === "sqrt") return { node: this.#root() };
    if (name === "left") return { node: this.#fenced() };
    if (name === "begin") return { node: this.#environment() };
    if (name === "underbrace" || name === "overbrace") return { node: this.#argument() };
    if (/^[{}%$&#_]$/.test(name)) return { node: operator(name) };
    if (name === "|") return { node: operator("‖") };
    if (["displaystyle", "textstyle", "limits", "nolimits"].includes(name))
      return { node: { tag: "mrow", children: [] } };
    throw new FormulaError(`\\${name} is not known here`);
  }

  #symbol({ kind, text }: { kind: SymbolKind; text: string }): Atom {
    if (kind === "mi") return { node: element(kind, text) };
    if (kind === "mo") return { node: operator(text) };
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
    return { tag: "mrow", children: [fence("("), over, fence(")")] };
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
    return [fence(text)];
  }

  #environment(): MathNode {
    const name = this.#plain();
    const around = environments[name];
    if (around === undefined) throw new FormulaError(`\\begin{${name}} is not known here`);
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
    const sign = (text: string) => (text === "" ? [] : [fence(text)]);
    const table: MathNode = { tag: "mtable", children: rows };
    return { tag: "mrow", children: [...sign(around[0]), table, ...sign(around[1])] };
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

/** A part of a row, with what stands below and above it. */
interface Atom {
  node: MathNode;
  /** Whether its bounds stand below and above it, not beside it. */
  hasLimits?: boolean | undefined;
  /** Whether it is the name of a function, which has a thin space beside letters and numbers. */
  isFunction?: boolean | undefined;
}

const thinSpace: MathNode = { tag: "mspace", attributes: { width: "0.17em" }, children: [] };

/** Puts thin spaces beside the names of functions, as LaTeX does: none beside operators. */
function spaced(atoms: readonly Atom[]): MathNode[] {
  return atoms.flatMap((atom, at) => {
    const before = atoms[at - 1];
    const isApart =
      before !== undefined &&
      (atom.isFunction === true ? isEndOfValue(before) : before.isFunction === true) &&
      (atom.isFunction === true || !isOperator(atom.node));
    return isApart ? [thinSpace, atom.node] : [atom.node];
  });
}

/** Whether a function that follows is a factor: behind a value, a closed fence, or a function. */
function isEndOfValue({ node, isFunction }: Atom): boolean {
  const [sign] = node.children;
  const isClosed = typeof sign === "string" && /^[)\]}⟩⌋⌉]$/.test(sign);
  return isFunction === true || isClosed || !isOperator(node);
}

/** Whether an element has spaces of its own, or wants none. */
function isOperator({ tag, children }: MathNode): boolean {
  if (tag === "mo" || tag === "mspace") return true;
  if (tag === "mrow") return children.length === 0;
  const [base] = children;
  return (
    /^(?:m(?:sub|sup|under|over)|msubsup|munderover)$/.test(tag) && isOperator(base as MathNode)
  );
}

/** Signs that browsers would make as high as the whole line. */
const fences = new Set("( ) [ ] { } | ‖ ∣ ∥ ⟨ ⟩ ⌊ ⌋ ⌈ ⌉ / \\ ↑ ↓".split(" "));

/** A sign; only `\left`, `\right` and tables have fences that are as high as what they contain. */
function operator(text: string): MathNode {
  const made = element("mo", text);
  return fences.has(text) ? { ...made, attributes: { stretchy: "false" } } : made;
}

function fence(text: string): MathNode {
  return { ...element("mo", text), attributes: { stretchy: "true" } };
}

/** The name of a function with bounds: in a line of text they stand beside it. */
function boundedName(name: string): MathNode {
  const attributes = { movablelimits: "true", lspace: "0", rspace: "0" };
  return { ...element("mo", name), attributes };
}

function element(tag: string, text: string): MathNode {
  return { tag, children: [text] };
}

function joined(before: MathNode | undefined, next: MathNode): MathNode {
  return before === undefined ? next : { tag: "mrow", children: [before, next] };
}
