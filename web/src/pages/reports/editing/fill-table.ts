import type { Service } from "../../../signed-in.ts";
import type { Found } from "../../experiments/differing-keys.ts";
import { readUsualColumns } from "../../experiments/read-usual.ts";
import { type DraftBlock, withColumns } from "../report-draft.ts";
import { foundBy } from "../table-fields.tsx";
import type { ChangeDraft } from "./use-draft.ts";

/** Gives a table its first columns, which are read, unless it has others meanwhile. */
export function fillTable(
  service: Service,
  { key, block }: DraftBlock,
  found: Found | undefined,
  complete: ChangeDraft,
): void {
  if (block.kind !== "table" || found === undefined) return;
  void readUsualColumns(service.client, found).then((columns) =>
    complete((before) => withColumns(before, key, block.columns, columns.join(", "))),
  );
}

export function foundOf({ block }: DraftBlock): Found | undefined {
  return block.kind === "table" ? foundBy(block) : undefined;
}
