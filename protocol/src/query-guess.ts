import { foreignField } from "./foreign-fields.ts";
import { nearNames } from "./near-names.ts";
import { type Field, fieldType, ownFields, parseField } from "./query-field.ts";
import { meantValue, statusOf } from "./query-foreign.ts";
import {
  foreignOperators,
  type Operator,
  operatorsOf,
  type Query,
  readQuery,
} from "./query-language.ts";
import { queryText } from "./query-text.ts";
import { type QueryValue, readValue, wordsOf } from "./query-value.ts";

/**
 * The query that may be meant by one that finds nothing: words that are read as texts to search
 * for, but look like a test of another language (`tags contains a`, `tag:a`), and values that
 * cannot be meant. Undefined: nothing looks like that.
 */
export function guessedQuery(text: string): string | undefined {
  const { query } = readQuery(text);
  if (query === undefined) return undefined;
  const parts = query.kind === "and" ? query.parts : [query];
  const guessed: Query[] = [];
  let isGuessed = false;
  for (let at = 0; at < parts.length;) {
    const { test, length } = guessAt(parts, at) ?? { test: parts[at], length: 1 };
    isGuessed ||= test !== parts[at];
    guessed.push(test);
    at += length;
  }
  const guess = queryText(guessed.length === 1 ? guessed[0] : { kind: "and", parts: guessed });
  return isGuessed && readQuery(guess).error === undefined ? guess : undefined;
}

/** Words for operators; those for times are read as texts to search for. */
const operatorWords: Readonly<Record<string, Operator>> = {
  ...foreignOperators,
  after: ">",
  since: ">=",
  before: "<",
};

/** A test, and how many parts of the query it takes the place of. */
interface Guess {
  test: Query;
  length: number;
}

function guessAt(parts: readonly Query[], at: number): Guess | undefined {
  const part = parts[at];
  if (part.kind === "compare") return guessedValue(part, parts[at + 1]);
  const [word, operator, value] = parts.slice(at, at + 3).map(wordOf);
  const field = part.kind === "exists" ? part.field : fieldOf(word);
  const ours = operatorOf(operator);
  if (field !== undefined && ours !== undefined && value !== undefined) {
    return { test: comparison(field, ours, value), length: 3 };
  }
  if (part.kind !== "search" || part.isExpression) return undefined;
  const [, name, behind] = /^([^:]+):(.*)$/s.exec(part.text) ?? [];
  const named = fieldOf(name);
  const wanted = behind === "" ? operator : behind;
  if (named !== undefined && wanted !== undefined && wanted !== "") {
    return { test: comparison(named, "~", wanted), length: behind === "" ? 2 : 1 };
  }
  // A word that only means a field, such as user, may as well be one to search for.
  const isSlip = field?.kind === "own" && nearNames(part.text, [field.name]).length > 0;
  return isSlip ? { test: { kind: "exists", field }, length: 1 } : undefined;
}

/**
 * A time in the future, a date with a time behind it, a state that only processes report, and a
 * name, which runs without one have in their slugs.
 */
function guessedValue(
  test: Query & { kind: "compare" },
  behind: Query | undefined,
): Guess | undefined {
  const { field, operator, value } = test;
  const time = behind && wordOf(behind);
  if (value.kind === "date" && time !== undefined) {
    const moment = meantValue("time", value.text, time);
    if (moment !== undefined && moment !== value.text)
      return { test: { ...test, value: readWord(moment) }, length: 2 };
  }
  if (fieldType(field) === "time" && value.kind === "duration" && value.milliseconds > 0)
    return { test: { ...test, value: readWord(`-${value.text}`) }, length: 1 };
  if (isName(field) && (operator === "~" || operator === "="))
    return { test: { ...test, field: slug, operator: "~" }, length: 1 };
  const status = fieldType(field) === "state" ? statusOf(value.text) : undefined;
  if (status === undefined || operator !== "=") return undefined;
  return { test: { ...test, field: ofStatus, value: readWord(status) }, length: 1 };
}

const ofStatus: Field = { kind: "own", name: "status" };
const slug: Field = { kind: "own", name: "slug" };

function isName(field: Field): boolean {
  return field.kind === "own" && field.name === "name";
}

function wordOf(part: Query): string | undefined {
  return part.kind === "search" && part.isExpression !== true ? part.text : undefined;
}

/** The own field that a word names or means. */
function fieldOf(word: string | undefined): Field | undefined {
  if (word === undefined) return undefined;
  const own = [word, word.toLowerCase()].find((name) => Object.hasOwn(ownFields, name));
  const name = own ?? foreignField(word);
  return name === undefined ? undefined : parseField(name);
}

/** A test, if the field can be tested so. */
function comparison(field: Field, wanted: Operator, text: string): Query {
  const type = fieldType(field);
  const operator = operatorsOf(type).includes(wanted) ? wanted : "=";
  const value = readWord(text);
  const test: Query = { kind: "compare", field, operator, value };
  if (isName(field)) return { kind: "or", parts: [{ ...test, field: slug }, test] };
  if (type !== "status" && type !== "state") return test;
  const word = wordsOf(type).includes(text) ? text : (meantValue(type, text, "") ?? text);
  const status = statusOf(text) ?? statusOf(word);
  if (status === undefined || status === "running") return { ...test, value: readWord(word) };
  // Runs whose processes report nothing have no state.
  return { ...test, field: ofStatus, value: readWord(status) };
}

/** The operator for a word between a field and a value. */
function operatorOf(word: string | undefined): Operator | undefined {
  const name = word?.toLowerCase() ?? "";
  return Object.hasOwn(operatorWords, name) ? operatorWords[name] : undefined;
}

function readWord(text: string): QueryValue {
  return readValue({ kind: "word", text, start: 0, end: 0 });
}
