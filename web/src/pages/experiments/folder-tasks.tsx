import { useState } from "preact/hooks";
import { Dialog } from "../../parts/dialog.tsx";
import { SaveForm } from "../../parts/save-form.tsx";
import { ToTrash } from "../../parts/to-trash.tsx";
import type { Service } from "../../signed-in.ts";
import { contentOf, removeFolder, renameFolder, trashFolder } from "./folder-changes.ts";
import type { Folders } from "./folder-lines.ts";

/** Actions on an existing folder. */
export type FolderTask = "move" | "rename" | "remove";

/** Buttons below the tree for what its keys do, applied to the chosen folder. */
export function FolderTasks({ onAsk }: { onAsk: (task: FolderTask) => void }) {
  return (
    <>
      {(["rename", "move", "remove"] as const).map((task) => (
        <button key={task} type="button" class="quiet" onClick={() => onAsk(task)}>
          {task}
        </button>
      ))}
    </>
  );
}

interface Props {
  service: Service;
  folders: Folders;
  folderId: string;
  onDone: (said: string) => void;
  onClose: () => void;
}

/** A dialog for the new name, or for confirming the removal. */
export function ChangeFolder({ task, ...props }: Props & { task: "rename" | "remove" }) {
  return task === "rename" ? <RenameFolder {...props} /> : <RemoveFolder {...props} />;
}

function RenameFolder({ service, folders, folderId, onDone, onClose }: Props) {
  const path = folders.path(folderId);
  const [name, setName] = useState(folders.way(folderId).at(-1)?.name ?? "");
  return (
    <Dialog title={`Rename the folder ${path}`} onClose={onClose}>
      <SaveForm
        action="Rename"
        save={async () => onDone(await renameFolder(service, folderId, name.trim()))}
      >
        <label>
          Name
          <input
            value={name}
            required
            maxLength={200}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
      </SaveForm>
    </Dialog>
  );
}

function RemoveFolder({ service, folders, folderId, onDone, onClose }: Props) {
  const path = folders.path(folderId);
  const content = contentOf(folders, folderId);
  if (content !== undefined)
    return (
      <ToTrash
        service={service}
        title={`Move the folder ${path} to the trash?`}
        onConfirm={async () => onDone(await trashFolder(service, folders, folderId))}
        onClose={onClose}
      >
        <p>
          The folder contains {content}. Its experiments disappear from every list and chart, and
          programs that still record them are refused. Restoring an experiment creates its folders
          again.
        </p>
      </ToTrash>
    );
  return (
    <Dialog title={`Remove the folder ${path}`} onClose={onClose}>
      <SaveForm
        action="Remove"
        save={async () => onDone(await removeFolder(service, folders, folderId))}
      >
        <p>The folder is empty.</p>
      </SaveForm>
    </Dialog>
  );
}
