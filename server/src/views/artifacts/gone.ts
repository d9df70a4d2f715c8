import { unfinished } from "../../artifacts/rows/upload.ts";

/**
 * All versions that an artifact ever had were deleted, and nobody writes another one: lists have it
 * no more. Its row stays, so that no epoch and no name is given again.
 */
export const isGone = `(versions = 0 AND highest IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM upload WHERE upload.artifact = artifact.id AND upload.state IN ${unfinished}))`;
