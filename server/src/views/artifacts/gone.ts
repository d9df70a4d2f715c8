import { unfinished } from "../../artifacts/rows/upload.ts";

/**
 * True for an artifact whose versions were all deleted while no writer has a new one open: lists
 * leave it out. Its row stays, so that no epoch and no name is given again.
 */
export const isGone = `(versions = 0 AND highest IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM upload WHERE upload.artifact = artifact.id AND upload.state IN ${unfinished}))`;
