import type { Field } from "@lossless/protocol";
import { canonicalJson } from "@lossless/protocol/canonical-json";
import type { Reader } from "../../database/database.ts";
import { configPath } from "../../experiments/summaries/config.ts";

/** Ids by which the tables name metas' keys and metrics; without an id no experiment has it. */
export interface KnownNames {
  key(path: readonly string[]): number | undefined;
  metric(field: Field & { kind: "metric" }): number | undefined;
}

/** Own fields that are texts of the meta, as our clients write them. */
const inMeta = {
  name: ["_name"],
  tag: ["_tags"],
  group: ["_group"],
  commit: ["_source", "commit"],
} as const;

/** The path of the colour that somebody chose for an experiment. */
export const colourPath = ["_colour"] as const;

/** Returns the path of a field in the meta; undefined for fields stored elsewhere. */
export function metaPath(field: Field): readonly string[] | undefined {
  if (field.kind === "meta") return field.path;
  if (field.kind === "metric") return undefined;
  return field.name in inMeta ? inMeta[field.name as keyof typeof inMeta] : undefined;
}

/** Looks up all names of some fields, and those that every query may need. */
export async function readNames(
  reader: Reader,
  organizationId: string,
  fields: readonly Field[],
): Promise<KnownNames> {
  const always = [...Object.values(inMeta), colourPath];
  const paths = [...always, ...fields.flatMap((field) => [metaPath(field) ?? []])];
  const metrics = fields.filter((field) => field.kind === "metric");
  const keys = await reader.all<{ id: number; path: string }>(
    `SELECT id, path FROM config_key WHERE organization = $1 AND ${reader.isOneOf("path", "$2")}`,
    organizationId,
    JSON.stringify(paths.map(configPath)),
  );
  const names = await reader.all<{ id: number; name: string; meta: string }>(
    `SELECT id, name, meta FROM metric_name WHERE organization = $1 AND ${reader.isOneOf("name", "$2")}
       AND ${reader.isOneOf("meta", "$3")}`,
    organizationId,
    JSON.stringify(metrics.map(({ name }) => name)),
    JSON.stringify(metrics.map(storedPartition)),
  );
  const keyIds = new Map(keys.map(({ id, path }) => [path, id]));
  const metricIds = new Map(names.map(({ id, name, meta }) => [metricKey(name, meta), id]));
  return {
    key: (path) => keyIds.get(configPath(path)),
    metric: (field) => metricIds.get(metricKey(field.name, storedPartition(field))),
  };
}

/** Returns the stored name of a partition; '' stands for all partitions together. */
function storedPartition({ partition }: Field & { kind: "metric" }): string {
  return partition === undefined ? "" : canonicalJson(partition);
}

function metricKey(name: string, meta: string): string {
  return JSON.stringify([name, meta]);
}
