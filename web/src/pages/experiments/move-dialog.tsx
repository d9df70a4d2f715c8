import { useState } from "preact/hooks";
import { Dialog } from "../../parts/dialog.tsx";
import type { Folders } from "./folder-lines.ts";

const foundMax = 50;

interface Props {
  /** Undefined while they are read. */
  folders: Folders | undefined;
  /** Why they could not be read. */
  problem?: string | undefined;
  title: string;
  /** The folder being moved, which cannot be moved into itself. */
  moved: string | undefined;
  /** null: the root. */
  onChoose: (folderId: string | null) => void;
  onClose: () => void;
}

/** Chooses the target folder, found by typing a part of its path. */
export function MoveDialog({ folders, problem, title, moved, onChoose, onClose }: Props) {
  const [text, setText] = useState("");
  const choices = folders === undefined ? [] : choicesOf(folders, text, moved);
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
          aria-label="Search folders"
          placeholder="Type part of a path. Enter chooses the first."
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
      {problem !== undefined && <p role="alert">{problem}</p>}
      {choices.length === 0 && problem === undefined && (
        <p class="hint">{folders === undefined ? "Loading the folders …" : "No folder matches."}</p>
      )}
    </Dialog>
  );
}

function choicesOf(
  folders: Folders,
  text: string,
  moved: string | undefined,
): { folderId: string | null; path: string }[] {
  const found = folders
    .found(text, foundMax)
    .filter(({ folderId }) => moved === undefined || !folders.isWithin(folderId, moved));
  return [...(text === "" ? [{ folderId: null, path: "no folder" }] : []), ...found];
}
