import { flagged } from "../database/operation.ts";
import { dropPoints } from "./drop-points.ts";
import { forgetGarbage, replaceSegments, sealLog, trimLog } from "./manifest.ts";

export const pointWrites = {
  "points.seal": flagged(sealLog, { onFullDisk: true }),
  "points.replace": flagged(replaceSegments, { onFullDisk: true }),
  "points.drop": flagged(dropPoints, { onFullDisk: true }),
  "points.trim": flagged(trimLog, { onFullDisk: true }),
  "points.forgetGarbage": flagged(forgetGarbage, { onFullDisk: true }),
};
