import { nearNames } from "./near-names.ts";
import { foreignField } from "./foreign-fields.ts";
import { QueryError } from "./query-error.ts";
import { isWord, isWordOrExpression, quoted, type Token, tokensOf } from "./query-tokens.ts";

/** A field to test, show or sort by: of an experiment, its meta or its metrics. */
export type Field =
  | { kind: "own"; name: OwnField }
  /** A leaf of the experiment's meta: its keys from the outermost inwards. */
  | { kind: "meta"; path: readonly string[] }
  /** Without a partition: of all points of the metric; with one: of those with that meta. */
  | { kind: "metric"; name: string; partition?: Readonly<Record<string, string>>; stat: Stat };

/** Types of the own fields. `time` is a moment, `duration` a length, both in milliseconds. */
export const ownFields = {
  slug: "text",
  name: "text",
  id: "text",
  status: "status",
  state: "state",
  attempts: "number",
  folder: "folder",
  description: "text",
  error: "text",
  tag: "text",
  group: "text",
  commit: "text",
  created: "time",
  began: "time",
  started: "time",
  updated: "time",
  done: "time",
  age: "duration",
  silent: "duration",
  duration: "duration",
  points: "number",
  artifact: "text",
} as const;
export type OwnField = keyof typeof ownFields;
export type FieldType = (typeof ownFields)[OwnField] | "meta" | "metric";

export const stats = [
  "last",
  "first",
  "min",
  "max",
  "mean",
  "count",
  "nonfinite",
  "firststep",
  "laststep",
  "minstep",
  "maxstep",
] as const;
export type Stat = (typeof stats)[number];

export function fieldType(field: Field): FieldType {
  return field.kind === "own" ? ownFields[field.name] : field.kind;
}

/** Parses a field on its own, such as a column. Throws QueryError. */
export function parseField(text: string): Field {
  const tokens = tokensOf(text);
  const { field, next } = readField(tokens, 0);
  if (field === undefined) {
    throw new QueryError(0, "a field", text, nearField(tokens[0].text));
  }
  const { kind, start, text: found } = tokens[next];
  if (kind !== "end") throw new QueryError(start, "the end of the field", found);
  return field;
}

/** Reads the field at a token, and returns the token after it; no field: undefined. */
export function readField(
  tokens: readonly Token[],
  at: number,
): { field: Field | undefined; next: number } {
  const first = tokens[at];
  if (first.kind !== "word") return { field: undefined, next: at };
  if (isOwnField(first.text)) return { field: { kind: "own", name: first.text }, next: at + 1 };
  if (beginsWith(first, ["meta.", "config."])) {
    const { keys, next } = readKeys(tokens, at);
    return { field: { kind: "meta", path: keys.map(({ text }) => text) }, next };
  }
  if (beginsWith(first, ["metric.", "metrics.", "summary."])) return readMetric(tokens, at);
  return { field: undefined, next: at };
}

/** Whether a word begins with a kind of field: ours, or the word of W&B or MLflow for it. */
function beginsWith({ text }: Token, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => text.startsWith(prefix));
}

/** Suggests a field for a word that is none. */
export function nearField(word: string): string | undefined {
  const foreign = foreignField(word);
  if (foreign !== undefined) return foreign;
  const [near] = nearNames(word, Object.keys(ownFields), 1);
  if (near !== undefined || !isWord(word) || word.includes(":")) return near;
  return word.includes("/") ? `metric.${word}` : `meta.${word}`;
}

/** Writes the field in the query language; parsing the text gives the field again. */
export function fieldText(field: Field): string {
  switch (field.kind) {
    case "own":
      return field.name;
    case "meta":
      return `meta.${field.path.map(keyText).join(".")}`;
    case "metric":
      return metricText(field);
  }
}

function metricText({ name, partition, stat }: Field & { kind: "metric" }): string {
  const keys = name.split(".");
  const isPlain = keys.every(isKey);
  const word = `metric.${isPlain ? name : quoted(name)}`;
  const shown = stat === "last" ? "" : `.${stat}`;
  if (partition !== undefined) {
    const pairs = Object.entries(partition).map((pair) => pair.map(wordText).join("="));
    return `${word}{${pairs.join(",")}}${shown}`;
  }
  const looksLikeStat = isPlain && keys.length > 1 && isStat(keys.at(-1)!);
  return `${word}${looksLikeStat ? `.${stat}` : shown}`;
}

interface Key {
  text: string;
  isQuoted: boolean;
}

/** Reads the keys after `meta.` or `metric.`: adjoining words and quoted texts. */
function readKeys(tokens: readonly Token[], at: number): { keys: Key[]; next: number } {
  const keys: Key[] = [{ text: "", isQuoted: false }];
  let next = at;
  do {
    const { kind, text } = tokens[next];
    const [begun, ...more] = kind === "text" ? [text] : text.split(".");
    const last = keys.at(-1)!;
    last.text += begun;
    last.isQuoted ||= kind === "text";
    for (const key of more) keys.push({ text: key, isQuoted: false });
    next++;
  } while (adjoins(tokens, next) && tokens[next].kind !== "symbol");
  keys.shift();
  if (keys.every(({ text, isQuoted }) => text !== "" || isQuoted)) return { keys, next };
  throw new QueryError(tokens[next - 1].end, "a name before, between and after the dots");
}

function readMetric(tokens: readonly Token[], at: number): { field: Field; next: number } {
  const { keys, next } = readKeys(tokens, at);
  const last = keys.at(-1)!;
  if (adjoins(tokens, next) && tokens[next].text === "{") {
    const name = keys.map(({ text }) => text).join(".");
    const { partition, next: behind } = readPartition(tokens, next);
    const { stat, next: end } = readStat(tokens, behind);
    return { field: { kind: "metric", name, partition, stat }, next: end };
  }
  const hasStat = keys.length > 1 && !last.isQuoted && isStat(last.text);
  const stat = hasStat ? (last.text as Stat) : "last";
  const name = (hasStat ? keys.slice(0, -1) : keys).map(({ text }) => text).join(".");
  return { field: { kind: "metric", name, stat }, next };
}

function readPartition(tokens: readonly Token[], brace: number) {
  const pairs = new Map<string, string>();
  let next = brace;
  do {
    const key = wordAt(tokens, next + 1, "the key of a partition, as in {subset=val}");
    if (pairs.has(key)) throw new QueryError(tokens[next + 1].start, "every key once", key);
    symbolAt(tokens, next + 2, ["="]);
    pairs.set(key, wordAt(tokens, next + 3, "the value of the key"));
    symbolAt(tokens, next + 4, [",", "}"]);
    next += 4;
  } while (tokens[next].text === ",");
  const sorted = [...pairs].sort(([left], [right]) => (left < right ? -1 : 1));
  return { partition: Object.fromEntries(sorted), next: next + 1 };
}

function readStat(tokens: readonly Token[], at: number): { stat: Stat; next: number } {
  if (!adjoins(tokens, at) || tokens[at].kind !== "word") return { stat: "last", next: at };
  const { text, start } = tokens[at];
  const stat = text.slice(1);
  if (text.startsWith(".") && isStat(stat)) return { stat, next: at + 1 };
  const [near] = nearNames(stat, stats, 1);
  throw new QueryError(start, `one of ${stats.map((one) => `.${one}`).join(" ")}`, text, near);
}

function wordAt(tokens: readonly Token[], at: number, expected: string): string {
  const token = tokens[Math.min(at, tokens.length - 1)];
  if (token.kind === "word" || token.kind === "text") return token.text;
  if (token.kind === "expression" && isWordOrExpression(token.text)) return token.text;
  throw new QueryError(token.start, expected, token.text);
}

function symbolAt(tokens: readonly Token[], at: number, symbols: readonly string[]): void {
  const token = tokens[Math.min(at, tokens.length - 1)];
  if (token.kind === "symbol" && symbols.includes(token.text)) return;
  throw new QueryError(token.start, symbols.join(" or "), token.text);
}

function adjoins(tokens: readonly Token[], at: number): boolean {
  return tokens[at].kind !== "end" && tokens[at].start === tokens[at - 1].end;
}

function isOwnField(word: string): word is OwnField {
  return Object.hasOwn(ownFields, word);
}

function isStat(word: string): word is Stat {
  return (stats as readonly string[]).includes(word);
}

function isKey(text: string): boolean {
  return isWordOrExpression(text) && !text.includes(".");
}

/** A key of a meta as written between dots. */
export function keyText(key: string): string {
  return isKey(key) ? key : quoted(key);
}

function wordText(text: string): string {
  return isWord(text) ? text : quoted(text);
}
