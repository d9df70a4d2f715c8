import { useState } from "preact/hooks";
import { Dialog } from "../../parts/dialog.tsx";
import type { Folders } from "./folder-lines.ts";

const foundMax = 50;

interface Props {
  folders: Folders;
  title: string;
  /** A folder that is moved: it cannot stand within itself. */
  moved: string | undefined;
  /** null: at the root. */
  onChoose: (folderId: string | null) => void;
  onClose: () => void;
}

/** Where to: a folder is found by typing a part of its path. */
export function MoveDialog({ folders, title, moved, onChoose, onClose }: Props) {
  const [text, setText] = useState("");
  const found = folders
    .found(text, foundMax)
    .filter(({ folderId }) => moved === undefined || !folders.isWithin(folderId, moved));
  const choices = [...(text === "" ? [{ folderId: null, path: "no folder" }] : []), ...found];
  const submit = (event: Event) => {
    event.preventDefault();
    const chosen = choices.find(({ folderId }) => folderId !== null) ?? choices[0];
    if (text !== "" && chosen !== undefined) onChoose(chosen.folderId);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <input
          type="search"
          aria-label="Part of the folder's path"
          placeholder="Type a part of its path, Enter takes the first"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </form>
      <ul class="choice-list">
        {choices.map(({ folderId, path }) => (
          <li key={folderId ?? ""}>
            <button type="button" onClick={() => onChoose(folderId)}>
              <bdi>{path}</bdi>
            </button>
          </li>
        ))}
      </ul>
      {choices.length === 0 && <p class="soft">No folder has this in its path.</p>}
    </Dialog>
  );
}
