import type { Field, TableReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { meantNames } from "@lossless/protocol/near-names";
import { isIndexedPath } from "@lossless/protocol/origin";
import { fieldText, parseField } from "@lossless/protocol/query-field";
import type { Reader } from "../../database/database.ts";
import { configPath } from "../../experiments/summaries/config.ts";
import type { KnownNames } from "./known-names.ts";

type UnknownField = NonNullable<TableReply["unknown"]>[number];

/**
 * Returns the fields of metas and metrics that no experiment of the organization has. A query of
 * such a field finds nothing, which is not the same as that nothing passes.
 */
export async function readUnknown(
  reader: Reader,
  organizationId: string,
  fields: readonly Field[],
  names: KnownNames,
): Promise<UnknownField[]> {
  const unknown = new Map<string, Field>();
  for (const field of fields) if (!isKnown(field, names)) unknown.set(fieldText(field), field);
  if (unknown.size === 0) return [];
  const known = await readAllNames(reader, organizationId);
  return [...unknown].map(([text, field]) => ({ field: text, near: nearFields(field, known) }));
}

/** Returns existing fields that a text may mean, a field or a word without `meta.` or `metric.`. */
export async function readNear(
  reader: Reader,
  organizationId: string,
  text: string,
): Promise<string[]> {
  const word = { kind: "metric", name: text, stat: "last" } as const;
  const field = parsed(text);
  const meant = field === undefined || field.kind === "own" ? word : field;
  return nearFields(meant, await readAllNames(reader, organizationId));
}

function parsed(text: string): Field | undefined {
  try {
    return parseField(text);
  } catch {
    return undefined;
  }
}

/** Whether an experiment has the field, or may have it: not every path of a meta is indexed. */
function isKnown(field: Field, names: KnownNames): boolean {
  if (field.kind === "metric") return names.metric(field) !== undefined;
  if (field.kind === "own" || !isIndexedPath(configPath(field.path))) return true;
  return names.key(field.path) !== undefined;
}

/** Names of an organization in the language's spelling, without `meta.` and `metric.`. */
interface AllNames {
  metas: string[];
  metrics: string[];
}

async function readAllNames(reader: Reader, organizationId: string): Promise<AllNames> {
  const most = limits.fieldsComparedMax;
  const metas = await reader.all<{ name: string }>(
    "SELECT path AS name FROM config_key WHERE organization = $1 ORDER BY path LIMIT $2",
    organizationId,
    most,
  );
  const metrics = await reader.all<{ name: string }>(
    "SELECT name FROM metric_name WHERE organization = $1 AND meta = '' ORDER BY name LIMIT $2",
    organizationId,
    most,
  );
  return { metas: metas.map(({ name }) => name), metrics: metrics.map(({ name }) => name) };
}

/** Returns up to three fields that one may mean. Of a metric the statistic stays. */
export function nearFields(field: Field, { metas, metrics }: AllNames): string[] {
  const stat = field.kind === "metric" ? field.stat : "last";
  const texts = [
    ...metas.map((name) => ({ name, text: `meta.${name}` })),
    ...metrics.map((name) => ({ name, text: fieldText({ kind: "metric", name, stat }) })),
  ];
  const byName = Map.groupBy(texts, ({ name }) => name);
  const wanted = field.kind === "metric" ? field.name : fieldText(field).slice("meta.".length);
  const meant = meantNames(wanted, byName.keys(), nearMax);
  return meant.flatMap((name) => byName.get(name)!.map(({ text }) => text)).slice(0, nearMax);
}

const nearMax = 3;
