import type { FoldersReply } from "@lossless/protocol";
import { useState } from "preact/hooks";
import { mayWrite } from "../../rights.ts";
import type { Service } from "../../signed-in.ts";
import type { Dragged } from "./dragged.ts";
import type { Folders } from "./folder-lines.ts";
import { ChangeFolder, type FolderTask, FolderTasks } from "./folder-tasks.tsx";
import { FolderTree } from "./folder-tree.tsx";
import { NewFolder } from "./new-folder.tsx";

interface Props {
  service: Service;
  /** Undefined until it is read. */
  reply: FoldersReply | undefined;
  folders: Folders;
  /** Undefined: all experiments. */
  wanted: string | undefined;
  /** Whether it is open on a narrow screen. */
  isShown: boolean;
  onChoose: (folderId: string | undefined) => void;
  onMove: (dragged: Dragged, folderId: string | null) => void;
  onAskMove: (folderId: string) => void;
  /** Receives a sentence about the change, and the folder to show next. */
  onChange: (said: string, wanted: string | undefined) => void;
}

/** The folders left of the table, with actions on them. */
export function FolderSide(props: Props) {
  const { service, reply, folders, wanted, isShown, onAskMove, onChange } = props;
  const [changing, setChanging] = useState<{ task: "rename" | "remove"; folderId: string }>();
  const ask = (task: FolderTask, folderId: string) => {
    if (!mayWrite(service)) return;
    if (task === "move") onAskMove(folderId);
    else setChanging({ task, folderId });
  };
  const changed = (words: string) => {
    const isGone = changing?.task === "remove" && changing.folderId === wanted;
    setChanging(undefined);
    onChange(words, isGone ? folders.way(wanted).at(-2)?.folderId : wanted);
  };
  const isKnown = wanted !== undefined && folders.way(wanted).length > 0;
  return (
    <nav class="folders" data-shown={isShown} aria-label="Folders">
      {reply === undefined ? (
        <p class="waiting">Loading folders …</p>
      ) : (
        <FolderTree
          {...{ reply, folders, wanted, onChoose: props.onChoose, onMove: props.onMove }}
          onAsk={ask}
        />
      )}
      {mayWrite(service) && (
        <div class="folder-tasks">
          <NewFolder
            service={service}
            parentFolderId={wanted ?? null}
            onMade={() => onChange("", wanted)}
          />
          {isKnown && <FolderTasks onAsk={(task) => ask(task, wanted)} />}
        </div>
      )}
      {changing !== undefined && (
        <ChangeFolder
          {...{ service, folders, ...changing }}
          onDone={changed}
          onClose={() => setChanging(undefined)}
        />
      )}
    </nav>
  );
}
