import type { ExportChoice } from "./exported-experiments.ts";
import type { PointsFileRead } from "./points-file.ts";

/** A Parquet file of a group of experiments, by what its rows are. */
export type ExportRead =
  | ({ of: "points" } & PointsFileRead)
  | ({ of: "experiments" | "annotations" | "lineage" | "lines" } & ExportChoice);
