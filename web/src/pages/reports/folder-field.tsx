import { useState } from "preact/hooks";
import { useRead } from "../../parts/use-read.ts";
import type { Service } from "../../signed-in.ts";
import type { Folders } from "../experiments/folder-lines.ts";
import { MoveDialog } from "../experiments/move-dialog.tsx";
import type { ReportBoard } from "./report-board.tsx";

interface Props {
  service: Service;
  board: ReportBoard;
  folderId: string | undefined;
  /** Undefined: any folder. */
  onChoose: (folderId: string | undefined) => void;
}

/** Chooses the folder in and below which a block looks for experiments. */
export function FolderField({ service, board, folderId, onChoose }: Props) {
  const [isChoosing, setIsChoosing] = useState(false);
  const isNeeded = isChoosing || folderId !== undefined;
  const read = async () => (isNeeded ? board.folders(service) : undefined);
  const { found: folders, problem } = useRead(read, [isNeeded]);
  const folder = pathOf(folderId, folders);
  const choose = (chosen: string | null) => {
    setIsChoosing(false);
    onChoose(chosen ?? undefined);
  };
  return (
    <>
      <div class="field">
        In the folder
        <button
          type="button"
          aria-label={`In the folder: ${folder}`}
          onClick={() => setIsChoosing(true)}
        >
          {folder}
        </button>
      </div>
      {isChoosing && (
        <MoveDialog
          {...{ folders, problem }}
          title="Choose the folder of the experiments"
          moved={undefined}
          onChoose={choose}
          onClose={() => setIsChoosing(false)}
        />
      )}
    </>
  );
}

function pathOf(folderId: string | undefined, folders: Folders | undefined): string {
  if (folderId === undefined) return "any";
  return folders === undefined ? "…" : folders.path(folderId) || "a folder that no longer exists";
}
