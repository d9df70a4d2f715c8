import type { FaultKind } from "../stores/s3-double.ts";

export interface FaultCampaignReport {
  versions: number;
  /** Requests that were answered `upstream`, and made again until they succeeded. */
  upstream: number;
  /** Parts that had to be sent again. */
  partsAgain: number;
  /** How often each fault struck: what never happens was not tested. */
  struck: Partial<Record<FaultKind, number>>;
  slowestCallMs: number;
  metricPoints: number;
  violations: string[];
}
