import { countedText, messageOf } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import type { Dragged } from "./dragged.ts";

/** Concurrent requests. */
const togetherMax = 8;

/** Moves experiments, or a folder, into a folder; null is the root. Returns a sentence about it. */
export async function move(
  { client }: Service,
  dragged: Dragged,
  folderId: string | null,
  path: string,
): Promise<string> {
  const where = path === "" ? "to the top level" : `to ${path}`;
  try {
    if (dragged.kind === "folder") {
      if (dragged.id === folderId) return "A folder cannot be moved into itself.";
      await client.folders.update(dragged.id, { parentFolderId: folderId });
      return `The folder was moved ${where}.`;
    }
    const left = [...dragged.ids];
    const work = async (): Promise<void> => {
      for (let id = left.pop(); id !== undefined; id = left.pop())
        await client.moveExperiment({ experimentId: id }, folderId);
    };
    await Promise.all(Array.from({ length: togetherMax }, work));
    const { length } = dragged.ids;
    return `${countedText(length, "experiment")} ${length === 1 ? "was" : "were"} moved ${where}.`;
  } catch (error) {
    return `Not everything was moved: ${messageOf(error)}`;
  }
}
