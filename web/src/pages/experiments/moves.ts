import { fewAtATime } from "../../parts/few-at-a-time.ts";
import { countedText, messageOf } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import type { Dragged } from "./dragged.ts";

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
    const outcomes = await fewAtATime(dragged.ids, (experimentId) =>
      client.moveExperiment({ experimentId }, folderId),
    );
    const failed = outcomes.find((each) => each.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    const { length } = dragged.ids;
    return `${countedText(length, "experiment")} ${length === 1 ? "was" : "were"} moved ${where}.`;
  } catch (error) {
    return `Not everything was moved: ${messageOf(error)}`;
  }
}
