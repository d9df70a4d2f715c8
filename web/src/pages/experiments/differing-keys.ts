import type { LosslessClient } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
import { isOfTools } from "../../chart/groups/keys.ts";
import { rankedKeys, type RankedKey } from "../../chart/groups/ranked-keys.ts";
import { metaFieldsOf } from "../compare/meta-fields.ts";
import type { Address } from "./use-address.ts";

/** Experiments of the table, in its order. */
export type Found = Pick<Address, "query" | "folder" | "sort">;

export interface DifferingKeys {
  keys: readonly RankedKey[];
  /** Whether there may be more values: only the first experiments are compared. */
  isMinimum: boolean;
}

/** The keys of meta in which the first experiments of the table differ. */
export async function readDifferingKeys(
  client: LosslessClient,
  { query, folder, sort }: Found,
  stopped: AbortSignal,
): Promise<DifferingKeys> {
  const found = await client.views.difference(bodyOf({ query, folder, sort }), stopped);
  return {
    keys: rankedKeys([...metaFieldsOf(found).values()]),
    isMinimum: found.experiments.length >= limits.differenceExperimentsMax,
  };
}

/** The keys that the first experiments of the table have. */
export interface FoundKeys {
  /** The ones in which they differ, the most useful first, without those that tools write. */
  differing: readonly string[];
  /** All keys, those that differ first, with how many of the experiments have each. */
  keys: readonly { field: string; experiments: number }[];
  /** How many experiments were read. */
  experiments: number;
  /** How many are found. */
  total: number;
}

export async function readFoundKeys(
  client: LosslessClient,
  found: Found,
  stopped: AbortSignal,
): Promise<FoundKeys> {
  const body = { ...bodyOf(found), equalKeys: true };
  const reply = await client.views.difference(body, stopped);
  const differing = rankedKeys([...metaFieldsOf(reply).values()])
    .map(({ key }) => key)
    .filter((key) => !isOfTools(key));
  const counts = new Map(
    reply.keys.map(({ field, valueOf }) => [field, valueOf.filter((at) => at !== null).length]),
  );
  const { true: ofTools = [], false: others = [] } = Object.groupBy(counts.keys(), (key) =>
    isOfTools(key) ? "true" : "false",
  );
  const fields = new Set([...differing, ...others, ...ofTools]);
  return {
    differing,
    keys: [...fields].map((field) => ({ field, experiments: counts.get(field) ?? 0 })),
    experiments: reply.experiments.length,
    total: reply.found,
  };
}

function bodyOf(found: Found) {
  return { ...foundBody(found), metricsMax: 0 };
}

/** The part of a question to the service that names the experiments. */
export function foundBody({ query, folder, sort }: Found) {
  return {
    ...(query.trim() !== "" && { query }),
    ...(folder !== undefined && { folderId: folder }),
    sort: [...sort],
  };
}
