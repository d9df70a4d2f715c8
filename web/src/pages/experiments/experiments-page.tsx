import type { ChangesReply, FoldersReply } from "@lossless/protocol";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { PageProps } from "../../page.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { useShown } from "../../parts/use-shown.ts";
import { useChanges } from "../../parts/use-changes.ts";
import type { Service } from "../../signed-in.ts";
import { DeleteDialog } from "./delete-dialog.tsx";
import type { Dragged } from "./dragged.ts";
import { Folders } from "./folder-lines.ts";
import { FolderSide } from "./folder-side.tsx";
import { MoveDialog } from "./move-dialog.tsx";
import { move } from "./moves.ts";
import { Table } from "./table.tsx";
import type { Told } from "./table-foot.tsx";
import { countedText } from "../../parts/words.ts";

/** Milliseconds between reads of the folders' counts. */
const countsEveryMs = 5_000;

/** `/experiments`: the table, with the folders at the left. */
export function ExperimentsPage({ service, location }: PageProps) {
  const [changes, setChanges] = useState(0);
  const { reply, problem } = useFolders(service, changes);
  useEffect(() => {
    document.title = "Experiments · Lossless";
  }, []);
  const isNamed = !isId(location.parameter("folder"));
  if (reply === undefined && (isNamed || problem !== undefined))
    return <p class="waiting">{problem ?? "Loading experiments …"}</p>;
  if (reply?.experiments === 0 && reply.folders.length === 0)
    return <Loaded load={loadFirstPoint} props={{ service }} />;
  const onChange = () => setChanges((count) => count + 1);
  return <Experiments {...{ service, location, reply, changes, onChange }} />;
}

const loadFirstPoint = () => import("../first-point.tsx").then(({ FirstPoint }) => FirstPoint);

/** Whether a folder is known by its id before the folders are read; none is, too. */
function isId(folder: string | undefined): boolean {
  return folder === undefined || /^[0-9a-z]{26}$/.test(folder);
}

interface Props extends PageProps {
  /** Undefined until it is read; the table does not wait for it. */
  reply: FoldersReply | undefined;
  /** Grows with each change by this page. */
  changes: number;
  onChange: () => void;
}

function Experiments({ service, location, reply, changes, onChange }: Props) {
  const [moving, setMoving] = useState<Dragged>();
  const [deleting, setDeleting] = useState<readonly string[]>();
  const [said, setSaid] = useState<Told>({ words: "" });
  const [isTreeShown, setIsTreeShown] = useState(false);
  const folders = useMemo(() => new Folders(reply?.folders ?? []), [reply]);
  const wanted = location.parameter("folder");
  const lack = useNamedFolder(location, folders, reply === undefined ? undefined : wanted);
  const moveTo = async (dragged: Dragged, folderId: string | null) => {
    setMoving(undefined);
    setSaid({ words: await move(service, dragged, folderId, folders.path(folderId)) });
    onChange();
  };
  const choose = (folder: string | undefined) => {
    location.change({ folder }, true);
    setIsTreeShown(false);
  };
  return (
    <main class="experiments">
      <button
        type="button"
        class="tree-button"
        aria-expanded={isTreeShown}
        onClick={() => setIsTreeShown(!isTreeShown)}
      >
        {wanted === undefined ? "All folders" : folders.path(wanted) || "…"} ▾
      </button>
      <FolderSide
        {...{ service, reply, folders, wanted, isShown: isTreeShown, onChoose: choose }}
        onMove={(dragged, folderId) => void moveTo(dragged, folderId)}
        onAskMove={(id) => setMoving({ kind: "folder", id })}
        onChange={(words, next) => {
          if (next !== wanted) location.change({ folder: next });
          setSaid({ words });
          onChange();
        }}
      />
      <Table
        service={service}
        location={location}
        changes={changes}
        said={lack === undefined ? said : { words: lack }}
        onMove={(ids) => setMoving({ kind: "experiments", ids })}
        onDelete={setDeleting}
      />
      {deleting !== undefined && (
        <DeleteDialog
          {...{ service, ids: deleting }}
          onRestored={onChange}
          onDeleted={(told) => {
            setSaid(told);
            location.change({ sel: undefined });
            onChange();
          }}
          onClose={() => setDeleting(undefined)}
        />
      )}
      {moving !== undefined && (
        <MoveDialog
          folders={folders}
          title={moveTitle(moving, folders)}
          moved={moving.kind === "folder" ? moving.id : undefined}
          onChoose={(folderId) => void moveTo(moving, folderId)}
          onClose={() => setMoving(undefined)}
        />
      )}
    </main>
  );
}

/**
 * Opens a folder that the address gives by name instead of id; returns a sentence if there is none.
 */
function useNamedFolder(
  location: PageProps["location"],
  folders: Folders,
  wanted: string | undefined,
): string | undefined {
  const isUnknown = wanted !== undefined && folders.way(wanted).length === 0;
  const named = isUnknown ? folders.named(wanted) : undefined;
  useEffect(() => {
    if (named !== undefined) location.change({ folder: named });
  }, [named]);
  return isUnknown && named === undefined ? `This folder does not exist: ${wanted}` : undefined;
}

function useFolders(service: Service, changes: number) {
  const [reply, setReply] = useShown<FoldersReply>(service, "folders");
  const later = useRef<ReturnType<typeof setTimeout>>(undefined);
  const read = async () => setReply(await service.client.views.folders());
  const look = async (news: ChangesReply | undefined) => {
    // The very first experiment is shown at once.
    if (news === undefined || reply?.experiments === 0) return read();
    later.current ??= setTimeout(() => {
      later.current = undefined;
      // The next read reports the problem.
      read().catch(() => undefined);
    }, countsEveryMs);
  };
  useChanges(service, { seen: () => [], look, opened: true }, [changes]);
  useEffect(() => () => clearTimeout(later.current), []);
  return { reply, problem: service.changes.problem.value };
}

function moveTitle(moving: Dragged, folders: Folders): string {
  if (moving.kind === "folder") return `Move the folder ${folders.path(moving.id)}`;
  return `Move ${countedText(moving.ids.length, "experiment")}`;
}
