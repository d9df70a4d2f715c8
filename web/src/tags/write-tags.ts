import { type Edited, type MetasWritten, writeMetas } from "../parts/write-metas.ts";
import type { Service } from "../signed-in.ts";
import { type TagChange, tagsAfter } from "./tags.ts";

/** Changes the tags of experiments, over what others write meanwhile. */
export async function writeTags(
  service: Service,
  records: readonly Edited[],
  change: TagChange,
): Promise<MetasWritten> {
  const after = (before: unknown) => tagsAfter(before, change);
  return writeMetas(service, records, { key: "_tags", after, noun: "tags" });
}
