import { limits, type TrashEntry } from "@lossless/client";

/** Splits words into requests that the service accepts, and joins the replies. */
export async function inTrashRequests(
  words: readonly string[],
  ask: (some: string[]) => Promise<TrashEntry[]>,
): Promise<TrashEntry[]> {
  const entries: TrashEntry[] = [];
  for (let start = 0; start < words.length; start += limits.trashedAtOnceMax)
    entries.push(...(await ask(words.slice(start, start + limits.trashedAtOnceMax))));
  return entries;
}
