import type { ChartView } from "../view.ts";
import { ownKeys } from "./keys.ts";

/**
 * Whether groups are made by the service: of more lines than are here, or by fields that are not
 * here.
 */
export function isOfService({ group }: ChartView, isCut: boolean, lacksLines: boolean): boolean {
  if (group?.kind !== "by") return false;
  return isCut || lacksLines || group.keys.some((key) => ownKeys.includes(key));
}
