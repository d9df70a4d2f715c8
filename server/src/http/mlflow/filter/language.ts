import type { Comparator, Field } from "../../../experiments/mlflow/condition.ts";
import { invalid } from "../message.ts";

/** The fields and operators of a search: runs and experiments have a language each. */
export interface Language {
  /** Names allowed before the dot. */
  entities: Readonly<Record<string, Field["kind"]>>;
  unknownEntity(word: string): string;
  attributes: readonly string[];
  aliases: Readonly<Record<string, string>>;
  numeric: readonly string[];
  /** Attributes that are compared with lists. */
  listed: readonly string[];
  /** Whether texts and numbers may be written without quotes where a text is compared. */
  takesBareWords?: true;
  comparators(field: Field): readonly Comparator[];
  /**
   * Returns the error for a filter that is no list of comparisons; absent where it is the same as
   * for runs.
   */
  malformed?(filter: string): Error;
  /**
   * Returns the error for a comparator outside of `valid`; absent where it is the same as for runs.
   */
  wrongComparator?(field: Field, word: string, valid: readonly Comparator[]): Error;
}

const orders: readonly Comparator[] = [">", ">=", "!=", "=", "<", "<="];
const likes: readonly Comparator[] = ["!=", "=", "LIKE", "ILIKE"];
const lists: readonly Comparator[] = [...likes, "IN", "NOT IN"];
const nulls: readonly Comparator[] = [...likes, "IS NULL", "IS NOT NULL"];

export const runLanguage: Language = {
  entities: {
    metric: "metric",
    metrics: "metric",
    parameter: "param",
    parameters: "param",
    param: "param",
    params: "param",
    tag: "tag",
    tags: "tag",
    attribute: "attribute",
    attributes: "attribute",
    attr: "attribute",
    run: "attribute",
    dataset: "dataset",
    datasets: "dataset",
  },
  unknownEntity: (word) =>
    `Invalid entity type '${word}'. Valid values are ['metric', 'parameter', 'tag', 'attribute', 'dataset']`,
  attributes: ["artifact_uri", "end_time", "run_id", "run_name", "start_time", "status", "user_id"],
  aliases: {
    created: "start_time",
    Created: "start_time",
    "run name": "run_name",
    "Run name": "run_name",
    "Run Name": "run_name",
  },
  numeric: ["start_time", "end_time"],
  listed: ["run_id"],
  comparators({ kind, key }) {
    if (kind === "metric") return orders;
    if (kind === "dataset") return lists;
    if (kind !== "attribute") return nulls;
    return runLanguage.numeric.includes(key) ? orders : lists;
  },
};

export const experimentLanguage: Language = {
  entities: { attribute: "attribute", tag: "tag", tags: "tag" },
  unknownEntity: (word) =>
    `Invalid entity type '${word}'. Valid entity types are ('attribute', 'tag', 'tags')`,
  attributes: ["creation_time", "experiment_id", "last_update_time", "name"],
  aliases: {},
  numeric: ["creation_time", "last_update_time"],
  listed: ["experiment_id"],
  comparators({ kind, key }) {
    if (kind === "tag") return nulls;
    if (experimentLanguage.numeric.includes(key)) return orders;
    return key === "experiment_id" ? ["=", "!=", "IN", "NOT IN"] : likes;
  },
};

/** Returns the field that an identifier names, without quotes and backticks. */
export function fieldOf(identifier: string, language: Language): Field {
  const dot = dotOf(identifier);
  const word = unquoted(identifier.slice(0, Math.max(0, dot)));
  const written = unquoted(dot < 0 ? identifier : identifier.slice(dot + 1));
  const named = Object.hasOwn(language.entities, word) ? language.entities[word] : undefined;
  const kind = dot < 0 ? "attribute" : named;
  if (kind === undefined) throw invalid(language.unknownEntity(word));
  if (kind === "dataset" && !["name", "digest", "context"].includes(written)) {
    throw invalid(
      `Invalid dataset key '${written}' specified. Valid keys are '{'name', 'digest', 'context'}'`,
    );
  }
  if (kind !== "attribute") return { kind, key: written };
  const key = Object.hasOwn(language.aliases, written) ? language.aliases[written] : written;
  if (language.attributes.includes(key)) return { kind, key };
  const valid = [...language.attributes, ...Object.keys(language.aliases)].map((one) => `'${one}'`);
  throw invalid(
    `Invalid attribute key '${written}' specified. Valid keys are '{${valid.join(", ")}}'`,
  );
}

/** Returns the position of the first dot outside backticks. */
function dotOf(identifier: string): number {
  if (!identifier.startsWith("`")) return identifier.indexOf(".");
  const end = identifier.indexOf("`", 1);
  return identifier[end + 1] === "." ? end + 1 : -1;
}

export function unquoted(text: string): string {
  const quotes = ["'", '"', "`"];
  const isQuoted = text.length >= 2 && quotes.includes(text[0]) && text.endsWith(text[0]);
  return isQuoted ? text.slice(1, -1) : text;
}
