import { ToTrash } from "../../parts/to-trash.tsx";
import { countedText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";

interface Props {
  service: Service;
  /** The ticked experiments, no more than one request takes. */
  ids: readonly string[];
  /** Receives a sentence about the result. */
  onDeleted: (said: string) => void;
  onClose: () => void;
}

/** Asks whether to trash experiments. */
export function DeleteDialog({ service, ids, onDeleted, onClose }: Props) {
  const count = countedText(ids.length, "experiment");
  return (
    <ToTrash
      service={service}
      title={`Move ${count} to the trash?`}
      onConfirm={async () => {
        await service.client.trash.experiments(ids);
        onDeleted(`${count} ${ids.length === 1 ? "was" : "were"} moved to the trash.`);
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
