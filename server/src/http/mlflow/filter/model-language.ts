import { invalid } from "../message.ts";
import type { Language } from "./language.ts";

const numbers = ["creation_timestamp", "last_updated_timestamp"];
const texts = [
  "artifact_location",
  "experiment_id",
  "lifecycle_stage",
  "model_id",
  "model_type",
  "name",
  "source_run_id",
  "status",
  "status_message",
];

const orders = ["<", "<=", ">", ">=", "=", "!="] as const;
const likes = ["=", "!=", "LIKE", "ILIKE", "IN", "NOT IN"] as const;

/**
 * Language of searches for logged models: entities have one name each, and texts may lack quotes.
 */
export const modelLanguage: Language = {
  entities: { attributes: "attribute", metrics: "metric", params: "param", tags: "tag" },
  unknownEntity: (word) =>
    `Invalid entity type: '${word}'. Expected one of ['attributes', 'metrics', 'params', 'tags'].`,
  attributes: [...numbers, ...texts],
  aliases: {
    creation_time: "creation_timestamp",
    creation_timestamp_ms: "creation_timestamp",
    last_updated_timestamp_ms: "last_updated_timestamp",
  },
  numeric: numbers,
  listed: texts,
  takesBareWords: true,
  comparators: ({ kind, key }) =>
    kind === "metric" || (kind === "attribute" && numbers.includes(key)) ? orders : likes,
  malformed: (filter) =>
    invalid(
      `Invalid filter string: '${filter}'. Expected a list of comparisons separated by 'AND' ` +
        "(e.g. 'metrics.loss > 0.1 AND params.lr = 0.01').",
    ),
  wrongComparator({ kind, key }, word, valid) {
    const listed = valid.map((one) => `'${one}'`).join(", ");
    return invalid(
      `Invalid comparison operator for ${kind}s.${key}: '${word}'. Expected one of (${listed}).`,
    );
  },
};
