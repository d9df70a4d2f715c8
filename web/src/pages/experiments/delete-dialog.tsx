import { ToTrash } from "../../parts/to-trash.tsx";
import { countedText, messageOf } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import type { Told } from "./table-foot.tsx";

interface Props {
  service: Service;
  /** The ticked experiments, no more than one request takes. */
  ids: readonly string[];
  /** Receives a sentence about the result, and how it is undone. */
  onDeleted: (told: Told) => void;
  onRestored: () => void;
  onClose: () => void;
}

/** Asks whether to trash experiments. */
export function DeleteDialog({ service, ids, onDeleted, onRestored, onClose }: Props) {
  const count = countedText(ids.length, "experiment");
  const were = ids.length === 1 ? "was" : "were";
  return (
    <ToTrash
      service={service}
      title={`Move ${count} to the trash?`}
      onConfirm={async () => {
        const entries = await service.client.trash.experiments(ids);
        const undo = async () => {
          try {
            await service.client.trash.restore(entries.map(({ id }) => id));
          } catch (error) {
            return { words: messageOf(error), replies: [] };
          }
          onRestored();
          return { words: `${count} ${were} restored.`, replies: [] };
        };
        onDeleted({ words: `${count} ${were} moved to the trash.`, undo });
      }}
      onClose={onClose}
    >
      <p>
        {ids.length === 1 ? "It disappears" : "They disappear"} from every list and chart. Programs
        that still record {ids.length === 1 ? "it" : "them"} are refused.
      </p>
    </ToTrash>
  );
}
