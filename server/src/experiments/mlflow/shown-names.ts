import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../../database/database.ts";
import { configPath, ConfigKind } from "../summaries/config.ts";
import { nameTag } from "./name.ts";

/**
 * Reads the names that lists show, by id, where they differ from the slug: `_name` of the meta, as
 * in the table, and else the tag of MLflow's clients, which counts before it is indexed.
 */
export async function readShownNames(
  reader: Reader,
  organizationId: string,
  experimentIds: readonly string[],
): Promise<Map<string, string>> {
  if (experimentIds.length === 0) return new Map();
  const ids = JSON.stringify([...new Set(experimentIds)]);
  const tagged = await reader.all<Named>(
    `SELECT experiment.id, slug, substr(value, 1, ${limits.tableTextCharactersMax}) AS name
     FROM run_tag JOIN experiment ON experiment.id = run_tag.experiment
     WHERE key = $1 AND organization = $3 AND ${reader.isOneOf("run_tag.experiment", "$2")}`,
    nameTag,
    ids,
    organizationId,
  );
  const indexed = await reader.all<Named>(
    `SELECT experiment.id, slug, text AS name
     FROM config_value JOIN experiment ON experiment.id = config_value.experiment
     WHERE key = (SELECT id FROM config_key WHERE organization = $1 AND path = $2)
       AND element = -1 AND kind = ${ConfigKind.text}
       AND ${reader.isOneOf("config_value.experiment", "$3")}`,
    organizationId,
    configPath(["_name"]),
    ids,
  );
  const byId = new Map([...tagged, ...indexed].map((row) => [row.id, row]));
  const named = [...byId.values()].filter(({ slug, name }) => name !== "" && name !== slug);
  return new Map(named.map(({ id, name }) => [id, name]));
}

interface Named {
  id: string;
  slug: string;
  name: string;
}

/** The same of one meta; undefined: it has no name for its experiment. */
export function nameInMeta(meta: string): string | undefined {
  if (!meta.includes('"_name"')) return undefined;
  const { _name: name } = JSON.parse(meta) as { _name?: unknown };
  return typeof name === "string" && name !== "" ? name : undefined;
}
