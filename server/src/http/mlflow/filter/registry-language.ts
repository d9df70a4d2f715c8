import type { Language } from "./language.ts";

const likes = ["=", "!=", "LIKE", "ILIKE"] as const;
const lists = [...likes, "IN", "NOT IN"] as const;
const orders = ["<", "<=", ">", ">=", "=", "!="] as const;

const entities = {
  attribute: "attribute",
  attributes: "attribute",
  attr: "attribute",
  tag: "tag",
  tags: "tag",
} as const;
const unknownEntity = (word: string) =>
  `Invalid entity type '${word}'. Valid values are ['attribute', 'tag']`;
const aliases = { timestamp: "last_updated_timestamp" };

/** The language of filters for registered models. */
export const registeredModelLanguage: Language = {
  entities,
  unknownEntity,
  attributes: ["name"],
  aliases: {},
  numeric: [],
  listed: ["name"],
  comparators: ({ kind }) => (kind === "tag" ? likes : lists),
};

/** The same for versions of models. */
export const modelVersionLanguage: Language = {
  entities,
  unknownEntity,
  attributes: ["name", "version_number", "run_id", "source_path"],
  aliases: {},
  numeric: ["version_number"],
  listed: ["name", "run_id"],
  comparators({ kind, key }) {
    if (kind === "tag" || key === "source_path") return likes;
    return key === "version_number" ? orders : lists;
  },
};

const times = ["creation_timestamp", "last_updated_timestamp"];

/** The fields by which models, and versions, are ordered. */
export const modelOrderLanguage: Language = {
  ...registeredModelLanguage,
  attributes: ["name", ...times],
  aliases,
};
export const versionOrderLanguage: Language = {
  ...modelVersionLanguage,
  attributes: ["name", "version_number", ...times],
  aliases,
};
