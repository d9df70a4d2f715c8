import { foreignField } from "./foreign-fields.ts";
import { limits } from "./limits.ts";
import { QueryError } from "./query-error.ts";
import { meantValue, twoTests } from "./query-foreign.ts";
import {
  type Field,
  fieldText,
  fieldType,
  type FieldType,
  nearField,
  readField,
} from "./query-field.ts";
import { isWordOrExpression, type Token, tokensOf } from "./query-tokens.ts";
import { type QueryValue, readValue, valueProblem } from "./query-value.ts";
import { TextExpression } from "./text-expression.ts";

/** A query of the table. `and` without parts finds all experiments. */
export type Query =
  | { kind: "or" | "and"; parts: readonly Query[] }
  | { kind: "not"; part: Query }
  | { kind: "exists"; field: Field }
  | { kind: "compare"; field: Field; operator: Operator; value: QueryValue }
  | { kind: "in"; field: Field; values: readonly QueryValue[] }
  /** Searches slug, name, tags and description for a text, or a regular expression. */
  | { kind: "search"; text: string; isExpression?: true };

export const operators = ["=", "!=", "<", "<=", ">", ">=", "~"] as const;
export type Operator = (typeof operators)[number];

/** A piece of a query and its role, for syntax colouring. */
export interface QueryMark {
  role: "field" | "operator" | "value" | "keyword" | "search";
  start: number;
  end: number;
}

/** The kinds of input that may continue a query at its end. */
export type Next =
  | { kind: "test" }
  | { kind: "operator"; field: Field }
  | { kind: "value"; field: Field }
  | { kind: "keyword"; words: readonly string[] };

export interface ReadQuery {
  query?: Query;
  error?: QueryError;
  /** The pieces read, in the order of the query. */
  marks: QueryMark[];
  /** The input that may continue it. */
  next: Next[];
}

const keywords: readonly string[] = ["and", "or", "not", "in"];

/** Words of other languages, and the operators that mean the same. */
export const foreignOperators: Readonly<Record<string, Operator>> = {
  is: "=",
  equals: "=",
  like: "~",
  contains: "~",
  matches: "~",
};

/** Operators that mean the same with their sides exchanged. */
const exchanged: Readonly<Partial<Record<Operator, Operator>>> = {
  "=": "=",
  "!=": "!=",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};

/** Case is ignored, as in SQL. */
export function isKeyword(word: string): boolean {
  return keywords.includes(word.toLowerCase());
}

/** Parses a query. Throws QueryError. */
export function parseQuery(text: string): Query {
  const { query, error } = readQuery(text);
  if (query === undefined) throw error ?? new Error("BUG: neither a query nor an error");
  return query;
}

/** Parses the tokens of a query. Throws QueryError. */
export function parseTokens(tokens: readonly Token[]): Query {
  return new Parser(tokens, [], []).query();
}

/** Parses a text that is being typed: an error comes with everything read before it. */
export function readQuery(text: string): ReadQuery {
  const marks: QueryMark[] = [];
  const next: Next[] = [];
  try {
    if (text.length > limits.queryCharactersMax) {
      const expected = `at most ${limits.queryCharactersMax} characters`;
      throw new QueryError(limits.queryCharactersMax, expected, `${text.length} of them`);
    }
    return { query: new Parser(tokensOf(text), marks, next).query(), marks, next };
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return { error, marks, next };
  }
}

/** All fields that a query tests. */
export function fieldsOf(query: Query): Field[] {
  switch (query.kind) {
    case "and":
    case "or":
      return query.parts.flatMap(fieldsOf);
    case "not":
      return fieldsOf(query.part);
    case "search":
      return [];
    case "exists":
    case "compare":
    case "in":
      return [query.field];
  }
}

/** Returns the operators for a field's type. */
export function operatorsOf(type: FieldType): readonly Operator[] {
  switch (type) {
    case "text":
    case "meta":
      return operators;
    case "folder":
      return ["=", "!=", "~"];
    case "status":
    case "state":
      return ["=", "!="];
    case "time":
    case "duration":
    case "number":
    case "metric":
      return operators.filter((operator) => operator !== "~");
  }
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #marks: QueryMark[];
  readonly #next: Next[];
  #at = 0;
  #depth = 0;
  #tests = 0;
  #choices = 0;

  constructor(tokens: readonly Token[], marks: QueryMark[], next: Next[]) {
    this.#tokens = tokens;
    this.#marks = marks;
    this.#next = next;
  }

  query(): Query {
    if (this.#isEnd()) {
      this.#mayCome({ kind: "test" });
      return { kind: "and", parts: [] };
    }
    const query = this.#or();
    if (!this.#isEnd()) this.#fail("and, or, or another test");
    return query;
  }

  #or(): Query {
    const parts = [this.#and()];
    while (this.#takeKeyword("or")) parts.push(this.#and());
    return joined("or", parts);
  }

  #and(): Query {
    const parts = [this.#not()];
    for (;;) {
      if (this.#takeKeyword("and")) parts.push(this.#not());
      else if (this.#testBegins()) parts.push(this.#not());
      else return joined("and", parts);
    }
  }

  /** Whether a test follows without an operator; adjacent tests are joined by `and`. */
  #testBegins(): boolean {
    const { kind, text } = this.#token;
    if (kind === "end") this.#mayCome({ kind: "test" });
    if (kind === "symbol") return text === "(";
    if (kind === "text" || kind === "expression") return true;
    return kind === "word" && (this.#isKeyword("not") || !isKeyword(text));
  }

  /** Reads any number of `not`; pairs cancel, as values are never between true and false. */
  #not(): Query {
    let isNot = false;
    while (this.#takeKeyword("not")) isNot = !isNot;
    const part = this.#grouped();
    return isNot ? { kind: "not", part } : part;
  }

  #grouped(): Query {
    if (!this.#takeSymbol("(")) return this.#test();
    if (++this.#depth > limits.queryDepthMax) {
      this.#at--;
      this.#fail(`at most ${limits.queryDepthMax} brackets around each other`);
    }
    const query = this.#or();
    this.#depth--;
    if (!this.#takeSymbol(")")) this.#fail("and, or, another test, or a closing )");
    return query;
  }

  #test(): Query {
    this.#mayCome({ kind: "test" });
    const { kind, text, start } = this.#token;
    if (kind === "end" || kind === "symbol" || (isKeyword(text) && kind === "word")) {
      this.#fail("a field, or a text to search for");
    }
    this.#countTest();
    const { field, next } = readField(this.#tokens, this.#at);
    if (field === undefined) return this.#turned() ?? this.#search();
    this.#at = next;
    this.#marks.push({ role: "field", start, end: this.#tokens[next - 1].end });
    this.#mayCome({ kind: "operator", field });
    const operator = operators.find((each) => this.#isSymbol(each));
    if (operator !== undefined) return this.#comparison(field, operator);
    if (this.#takeKeyword("in")) return this.#choice(field);
    this.#refuseForeign(field);
    return { kind: "exists", field };
  }

  #countTest(): void {
    if (++this.#tests > limits.queryTestsMax) this.#fail(`at most ${limits.queryTestsMax} tests`);
  }

  /** Reads a test whose value comes first, 0.1 < meta.lr, or with one on either side. */
  #turned(): Query | undefined {
    const at = this.#at;
    const { kind, text } = this.#tokens[at + 1];
    const operator = operators.find((each) => kind === "symbol" && each === text);
    const turned = operator === undefined ? undefined : exchanged[operator];
    if (turned === undefined || !isValueFirst(this.#token)) return undefined;
    const { field, next } = readField(this.#tokens, at + 2);
    if (field === undefined) return undefined;
    const test = this.#valueFirst(field, turned);
    this.#marks.push({
      role: "field",
      start: this.#token.start,
      end: this.#tokens[next - 1].end,
    });
    this.#at = next;
    this.#mayCome({ kind: "operator", field });
    const further = operators.find((each) => this.#isSymbol(each));
    if (further === undefined) return test;
    this.#countTest();
    return joined("and", [test, this.#comparison(field, further)]);
  }

  /** Takes the value and the operator before a field. */
  #valueFirst(field: Field, operator: Operator): Query {
    const allowed = operatorsOf(fieldType(field));
    if (!allowed.includes(operator)) {
      this.#at++;
      this.#fail(`${allowed.join(" ")} before ${fieldText(field)}`);
    }
    const value = this.#value(field, operator);
    this.#take("operator");
    return { kind: "compare", field, operator, value };
  }

  /** Refuses operators of other languages, which would be searched for as texts. */
  #refuseForeign(field: Field): void {
    const { kind, text } = this.#token;
    if (kind !== "word" || this.#tokens[this.#at + 1].kind === "end") return;
    const word = text.toLowerCase();
    const name = fieldText(field);
    if (word === "between") this.#fail(twoTests(name, this.#tokens.slice(this.#at + 1)));
    const ours = Object.hasOwn(foreignOperators, word) ? foreignOperators[word] : undefined;
    if (ours !== undefined) this.#fail("an operator", ours);
  }

  #search(): Query {
    const word = this.#token;
    this.#requireShort();
    if (word.kind === "expression") {
      this.#requireExpression();
      this.#take("search");
      return { kind: "search", text: word.text, isExpression: true };
    }
    this.#take("search");
    const isTested = operators.some((each) => this.#isSymbol(each)) || this.#isKeyword("in");
    if (!isTested) return { kind: "search", text: word.text };
    const found = word.kind === "text" ? `the text "${word.text}"` : word.text;
    const isNumber = readValue(word).kind === "number";
    const near = isNumber ? undefined : nearField(word.text);
    // Own fields are known here; of a meta's or a metric's name only the kind can be guessed.
    const isGuess = near?.includes(".") === true || foreignField(word.text) !== undefined;
    const unknown = isGuess ? word.text : undefined;
    throw new QueryError(word.start, "a field before the operator", found, near, unknown);
  }

  #comparison(field: Field, operator: Operator): Query {
    const type = fieldType(field);
    const allowed = operatorsOf(type);
    if (!allowed.includes(operator)) this.#fail(`${allowed.join(" ")} after ${fieldText(field)}`);
    this.#take("operator");
    return { kind: "compare", field, operator, value: this.#value(field, operator) };
  }

  #choice(field: Field): Query {
    // Brackets of Python's lists are understood, and not offered.
    const closing = this.#isSymbol("[") ? "]" : ")";
    if (closing === "]") this.#at++;
    else if (!this.#takeSymbol("(")) this.#fail("( and the values, separated by commas");
    const values = [this.#chosen(field)];
    while (this.#takeSymbol(",")) values.push(this.#chosen(field));
    if (!this.#takeSymbol(closing)) this.#fail(`, and another value, or a closing ${closing}`);
    return { kind: "in", field, values };
  }

  /**
   * Reads a value of `in`. Each is a SELECT of its own, and databases limit how many are joined.
   */
  #chosen(field: Field): QueryValue {
    if (++this.#choices > limits.queryChoicesMax)
      this.#fail(`at most ${limits.queryChoicesMax} values after in`);
    return this.#value(field, "=");
  }

  #value(field: Field, operator: Operator): QueryValue {
    this.#mayCome({ kind: "value", field });
    const token = this.#token;
    if (token.kind === "end" || token.kind === "symbol") this.#fail("a value");
    if (operator === "~") this.#requireShort();
    const value = token.kind === "expression" ? this.#expression(operator) : readValue(token);
    const type = fieldType(field);
    const problem = operator === "~" ? undefined : valueProblem(type, value);
    if (problem !== undefined)
      this.#fail(problem, meantValue(type, token.text, this.#tokens[this.#at + 1]?.text ?? ""));
    this.#take("value");
    return value;
  }

  /** Reads a regular expression after `~`; elsewhere it may be a word that looks like one. */
  #expression(operator: Operator): QueryValue {
    const { text, start } = this.#token;
    if (operator === "~") {
      this.#requireExpression();
      return { kind: "expression", text };
    }
    if (isWordOrExpression(text)) return { kind: "text", text };
    throw new QueryError(start, "~ before a regular expression, or a text in quotation marks");
  }

  #requireExpression(): void {
    const { text, start } = this.#token;
    TextExpression.parse(text.slice(1, -1), start + 1);
  }

  #requireShort(): void {
    const { length } = this.#token.text;
    const most = limits.patternCharactersMax;
    if (length > most)
      throw new QueryError(
        this.#token.start,
        `a text of at most ${most} characters to search for`,
        `${length} of them`,
      );
  }

  get #token(): Token {
    return this.#tokens[this.#at];
  }

  #isEnd(): boolean {
    return this.#token.kind === "end";
  }

  #isSymbol(symbol: string): boolean {
    return this.#token.kind === "symbol" && this.#token.text === symbol;
  }

  #isKeyword(word: string): boolean {
    const { kind, text } = this.#token;
    return (kind === "word" || kind === "symbol") && text.toLowerCase() === word;
  }

  #takeSymbol(symbol: string): boolean {
    this.#mayCome({ kind: "keyword", words: [symbol] });
    if (!this.#isSymbol(symbol)) return false;
    this.#at++;
    return true;
  }

  #takeKeyword(word: string): boolean {
    this.#mayCome({ kind: "keyword", words: [word] });
    if (!this.#isKeyword(word)) return false;
    this.#take("keyword");
    return true;
  }

  #take(role: QueryMark["role"]): void {
    const { start, end } = this.#token;
    this.#marks.push({ role, start, end });
    this.#at++;
  }

  #mayCome(next: Next): void {
    if (this.#isEnd()) this.#next.push(next);
  }

  #fail(expected: string, suggestion?: string): never {
    const { start, text } = this.#token;
    throw new QueryError(start, expected, text, suggestion);
  }
}

/** Whether a test may begin with this token as its value: any other word is searched for. */
function isValueFirst(token: Token): boolean {
  return token.kind === "text" || (token.kind === "word" && readValue(token).kind !== "text");
}

/**
 * Joins parts: a single one stays itself, and parts of the same kind are flattened into one list.
 */
function joined(kind: "or" | "and", parts: readonly Query[]): Query {
  if (parts.length === 1) return parts[0];
  return { kind, parts: parts.flatMap((part) => (part.kind === kind ? part.parts : [part])) };
}
