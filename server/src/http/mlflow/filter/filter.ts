import type { Comparator, Condition, Field } from "../../../experiments/mlflow/condition.ts";
import { invalid } from "../message.ts";
import { fieldOf, type Language, unquoted } from "./language.ts";
import { type Token, tokensOf } from "./tokens.ts";

/** Maximum length of a pattern; longer ones are not written by hand, and are hard for databases. */
const patternCharactersMax = 4_000;

/**
 * Parses the conditions of a filter, all of which must hold. Faults are worded as MLflow words
 * them.
 */
export function parseFilter(filter: string | undefined, language: Language): Condition[] {
  const asWhole = filter === undefined ? undefined : language.malformed?.(filter);
  if (filter !== undefined && filter !== "" && filter.trim() === "")
    throw asWhole ?? invalid(`Invalid filter '${filter}'. Could not be parsed.`);
  const tokens = tokensOf(filter ?? "");
  const malformed = (...wrong: readonly Token[]) => asWhole ?? invalidClauses(wrong);
  const conditions: Condition[] = [];
  for (let at = 0; at < tokens.length;) {
    if (conditions.length > 0) {
      if (tokens[at].kind !== "and") throw malformed(tokens[at]);
      // As in MLflow, a trailing one is ignored.
      if (++at === tokens.length) break;
    }
    const { condition, next } = conditionAt(tokens, at, language, malformed);
    conditions.push(condition);
    at = next;
  }
  return conditions;
}

function invalidClauses(tokens: readonly Token[]): Error {
  const clauses = tokens.map(({ source }) => `'${source}'`).join(", ");
  return invalid(`Invalid clause(s) in filter string: ${clauses}`);
}

function conditionAt(
  tokens: readonly Token[],
  at: number,
  language: Language,
  malformed: (...wrong: readonly Token[]) => Error,
): { condition: Condition; next: number } {
  const [left, middle, right] = tokens.slice(at, at + 3) as [Token, Token?, Token?];
  if (middle?.kind !== "comparator") throw malformed(left);
  if (left.kind !== "identifier" && left.kind !== "quoted") {
    throw invalid(`Invalid comparison clause. Expected 'Identifier' found '${left.source}'`);
  }
  const field = fieldOf(left.source, language);
  const word = middle.source.toUpperCase().replaceAll(/\s+/g, " ");
  if (word === "IS NULL" || word === "IS NOT NULL") {
    const comparator = comparatorOf(word, field, language);
    return { condition: { field, comparator, value: undefined }, next: at + 2 };
  }
  if (right === undefined || right.kind === "and") throw malformed(left, middle);
  // A fault of the value is reported first.
  const value = valueOf(right, field, word, language);
  const comparator = comparatorOf(word, field, language);
  if (word.endsWith("LIKE") && String(value).length > patternCharactersMax)
    throw invalid(`A pattern of ${word} has at most ${patternCharactersMax} characters.`);
  return { condition: { field, comparator, value }, next: at + 3 };
}

function comparatorOf(word: string, field: Field, language: Language): Comparator {
  const valid = language.comparators(field);
  const comparator = valid.find((one) => one === word);
  if (comparator !== undefined) return comparator;
  if (language.wrongComparator !== undefined) throw language.wrongComparator(field, word, valid);
  if (word === "IS NULL" || word === "IS NOT NULL") {
    throw invalid(
      `IS NULL / IS NOT NULL is only supported for tags and params, not for '${entityName(field)}' '${field.key}'`,
    );
  }
  const listed = valid.map((one) => `'${one}'`).join(", ");
  throw invalid(`Invalid comparator '${word}' not one of '{${listed}}`);
}

function valueOf(
  token: Token,
  field: Field,
  comparator: string,
  language: Language,
): Condition["value"] {
  const { kind, source } = token;
  const { kind: entity, key } = field;
  const isNumeric = entity === "attribute" && language.numeric.includes(key);
  if (entity === "metric" || isNumeric) {
    if (kind === "number") return Number(source);
    throw invalid(
      isNumeric
        ? `Expected numeric value type for numeric attribute: ${key}. Found ${source}`
        : `Expected numeric value type for metric. Found ${source}`,
    );
  }
  const takesLists = language.comparators(field).includes("IN");
  if ((entity === "param" || entity === "tag") && kind === "list" && !takesLists)
    throw expectedText(entity, source);
  const isList = comparator === "IN" || comparator === "NOT IN";
  if (isList !== (kind === "list")) throw notListed(token, isList, entity);
  if (kind === "list") {
    if (entity === "attribute" && !language.listed.includes(key)) {
      const names = language.listed.map((one) => `'${one}'`).join(", ");
      throw invalid(
        `Only [${names}] attributes support comparison with a list of quoted string values.`,
      );
    }
    return listIn(source);
  }
  if (kind === "text" || kind === "quoted") return unquoted(source);
  if (language.takesBareWords && (kind === "identifier" || kind === "number")) return source;
  if (kind === "identifier") {
    throw invalid(
      "Parameter value is either not quoted or unidentified quote types used for string value " +
        `${source}. Use either single or double quotes.`,
    );
  }
  throw expectedText(entity, source);
}

function notListed({ source }: Token, isList: boolean, entity: Field["kind"]): Error {
  if (!isList) return expectedText(entity, source);
  return invalid(
    "While parsing a list in the query, expected a non-empty list of string values, but got " +
      `ill-formed list.`,
  );
}

function expectedText(entity: Field["kind"], source: string): Error {
  if (entity === "attribute") {
    return invalid(`Expected a quoted string value for attributes. Got value ${source}`);
  }
  if (entity === "dataset") {
    return invalid(`Expected a quoted string value for dataset attributes. Got value ${source}`);
  }
  const name = entityName({ kind: entity, key: "" });
  return invalid(
    `Expected a quoted string value for ${name} (e.g. 'my-value'). Got value ${source}`,
  );
}

function entityName({ kind }: Field): string {
  return kind === "param" ? "parameter" : kind;
}

const listPattern = /^\(\s*(?:('[^']*'|"[^"]*")\s*(?:,\s*('[^']*'|"[^"]*")\s*)*,?\s*)\)$/;

function listIn(source: string): string[] {
  if (listPattern.test(source))
    return [...source.matchAll(/'[^']*'|"[^"]*"/g)].map(([text]) => unquoted(text));
  throw invalid(
    "While parsing a list in the query, expected string value, punctuation, or whitespace, but got " +
      `different type in list: ${source}`,
  );
}
