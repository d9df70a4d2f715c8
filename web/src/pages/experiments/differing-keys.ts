import type { LosslessClient } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
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
  const found = await client.views.difference(
    {
      ...(query.trim() !== "" && { query }),
      ...(folder !== undefined && { folderId: folder }),
      sort: [...sort],
      metricsMax: 0,
    },
    stopped,
  );
  return {
    keys: rankedKeys([...metaFieldsOf(found).values()]),
    isMinimum: found.experiments.length >= limits.differenceExperimentsMax,
  };
}
