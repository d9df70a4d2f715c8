import { recordUse } from "./record-use.ts";
import { readGraph } from "./graph.ts";
import { readRunLineage } from "./run.ts";
import { readVersionLineage } from "./version.ts";

export const lineageWrites = {
  "lineage.use": recordUse,
};

export const lineageReads = {
  "lineage.run": readRunLineage,
  "lineage.version": readVersionLineage,
};

export const lineageReplies = {
  "lineage.graph": readGraph,
};
