import { flagged } from "../database/operation.ts";
import { openElsewhere, runElsewhere } from "./done-errands.ts";
import { endElsewhere } from "./dropped-rows.ts";
import { dropPoints } from "./drop-points.ts";
import { forgetElsewhere } from "./forget-elsewhere.ts";
import { forgetGarbage, replaceSegments, sealLog, trimLog } from "./manifest.ts";

export const pointWrites = {
  "points.seal": flagged(sealLog, { onFullDisk: true, atPoints: true }),
  "points.replace": flagged(replaceSegments, { onFullDisk: true, atPoints: true }),
  "points.drop": flagged(dropPoints, { onFullDisk: true, atPoints: true }),
  "points.trim": flagged(trimLog, { onFullDisk: true, atPoints: true }),
  "points.forgetGarbage": flagged(forgetGarbage, { onFullDisk: true, atPoints: true }),
  "points.forgetElsewhere": flagged(forgetElsewhere, { onFullDisk: true, atPoints: true }),
  "points.endElsewhere": flagged(endElsewhere, { onFullDisk: true, atPoints: true }),
  "errand.open": flagged(openElsewhere, { onFullDisk: true, atPoints: true }),
  "errand.run": flagged(runElsewhere, { onFullDisk: true, atPoints: true, alone: true }),
};
