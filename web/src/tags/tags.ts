/** Tags to add to an experiment, and to remove from it. */
export interface TagChange {
  add: readonly string[];
  remove: readonly string[];
}

/** How many of some experiments have a tag. */
export interface CountedTag {
  tag: string;
  experiments: number;
}

/** The tags in `meta._tags`: a list of texts, or a single text. */
export function tagsIn(value: unknown): string[] {
  const listed = Array.isArray(value) ? value : [value];
  return [...new Set(listed.filter((each) => typeof each === "string" && each !== ""))] as string[];
}

/**
 * The value of `meta._tags` after a change; undefined: none. What a program wrote into the list
 * beside texts stays.
 */
export function tagsAfter(value: unknown, { add, remove }: TagChange): unknown {
  if (value !== undefined && value !== null && typeof value !== "string" && !Array.isArray(value))
    throw new Error("Its meta._tags is neither a text nor a list.");
  const before: readonly unknown[] = Array.isArray(value) ? value : tagsIn(value);
  const added = add.filter((tag) => !before.includes(tag));
  const removed = before.filter((each) => typeof each === "string" && remove.includes(each));
  if (added.length === 0 && removed.length === 0) return value;
  const after = [...before.filter((each) => !removed.includes(each)), ...added];
  return after.length === 0 ? undefined : after;
}

/** The tags of some experiments, the most common first. */
export function countedTags(values: readonly unknown[]): CountedTag[] {
  const counts = new Map<string, number>();
  for (const tag of values.flatMap(tagsIn)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts]
    .map(([tag, experiments]) => ({ tag, experiments }))
    .sort((left, right) => right.experiments - left.experiments || (left.tag < right.tag ? -1 : 1));
}
