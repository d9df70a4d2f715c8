import { type FilterPredicate, limits, type PointsCsvQuery } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";

type Choice = {
  [Name in "metadataKey" | "metadataValue" | "filter"]: PointsCsvQuery[Name] | undefined;
};

/**
 * Returns the filter of partitions in an address: one choice in parameters of its own, or several
 * as JSON.
 */
export function csvFilter({ metadataKey, metadataValue, filter }: Choice): FilterPredicate[] {
  if (filter === undefined) {
    if (metadataKey === undefined && metadataValue !== undefined) {
      throw new ServiceError("bad_request", "`metadataValue` needs `metadataKey`.");
    }
    const value = metadataValue === undefined ? {} : { metadataValue };
    return metadataKey === undefined ? [] : [{ metadataKey, ...value }];
  }
  if (metadataKey !== undefined || metadataValue !== undefined) {
    throw new ServiceError("bad_request", "`filter` and `metadataKey` exclude each other.");
  }
  const predicates = parsed(filter);
  const isRight =
    Array.isArray(predicates) &&
    predicates.length <= limits.filterPredicatesMax &&
    predicates.every(isPredicate);
  if (!isRight) {
    const sentence = `\`filter\` must be a JSON list of at most ${limits.filterPredicatesMax} predicates.`;
    throw new ServiceError("bad_request", sentence);
  }
  return predicates;
}

function isPredicate(value: unknown): value is FilterPredicate {
  if (typeof value !== "object" || value === null) return false;
  const { metadataKey, metadataValue, ...others } = value as Record<string, unknown>;
  const isValue = metadataValue === undefined || isText(metadataValue);
  return isText(metadataKey) && isValue && Object.keys(others).length === 0;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.isWellFormed() && !value.includes("\0");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
