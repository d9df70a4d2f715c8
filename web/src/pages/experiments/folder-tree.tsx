import type { FoldersReply } from "@lossless/protocol";
import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { countText } from "../../parts/words.ts";
import { useRowPixels } from "../../parts/row-pixels.ts";
import { useVisibleRows } from "../../parts/visible-rows.ts";
import { type Dragged, droppedOn, isDragged, startDrag } from "./dragged.ts";
import type { FolderLine, Folders } from "./folder-lines.ts";
import type { FolderTask } from "./folder-tasks.tsx";

const tasks: ReadonlyMap<string, FolderTask> = new Map([
  ["m", "move"],
  ["r", "rename"],
  ["F2", "rename"],
  ["Delete", "remove"],
]);
/** The height of `.folder` in experiments.css. */
const lineRem = 1.875;
/** Folders up to which all are open at first. */
const openMax = 40;

interface Props {
  reply: FoldersReply;
  folders: Folders;
  /** Undefined: all experiments. */
  wanted: string | undefined;
  onChoose: (folderId: string | undefined) => void;
  /** Moves items into a folder; null is the root. */
  onMove: (dragged: Dragged, folderId: string | null) => void;
  /** Requests a change of a folder by keyboard. */
  onAsk: (task: FolderTask, folderId: string) => void;
}

/** The folders, each with the number of experiments in it and below. Line 0 is all experiments. */
export function FolderTree(props: Props) {
  const { reply, folders, wanted, onChoose, onAsk } = props;
  const [open, setOpen] = useState<ReadonlySet<string>>(() => openAtFirst(reply));
  useEffect(() => {
    const above = folders.way(wanted ?? null).slice(0, -1);
    if (above.length > 0) setOpen((now) => new Set([...now, ...above.map((one) => one.folderId)]));
  }, [wanted, folders]);
  const lines = useMemo(() => folders.lines(open), [folders, open]);
  const [active, setActive] = useState(0);
  const { container, first, last, before, after } = useVisibleRows(
    lines.length + 1,
    useRowPixels(lineRem),
  );
  useLayoutEffect(() => {
    container.current?.querySelector(`#folder-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [active]);

  const setIsOpen = (folderId: string, isOpen: boolean) => {
    const next = new Set(open);
    if (isOpen) next.add(folderId);
    else next.delete(folderId);
    setOpen(next);
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const line: FolderLine | undefined = lines[active - 1];
    const to = (place: number) => setActive(Math.min(Math.max(place, 0), lines.length));
    if (event.key === "ArrowDown" || event.key === "j") to(active + 1);
    else if (event.key === "ArrowUp" || event.key === "k") to(active - 1);
    else if (event.key === "Home") to(0);
    else if (event.key === "End") to(lines.length);
    else if (event.key === "Enter" || event.key === " ") onChoose(line?.folderId);
    else if (event.key === "ArrowRight" && line?.hasFolders) setIsOpen(line.folderId, true);
    else if (event.key === "ArrowLeft" && line?.isOpen) setIsOpen(line.folderId, false);
    else if (event.key === "ArrowLeft" && line !== undefined)
      to(lines.findIndex(({ folderId }) => folderId === line.parentFolderId) + 1);
    else if (line !== undefined && tasks.has(event.key))
      onAsk(tasks.get(event.key)!, line.folderId);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const drawn = Array.from({ length: last - first }, (_, at) => first + at);
  return (
    <div
      class="tree"
      role="tree"
      aria-label="Folders"
      tabIndex={0}
      aria-activedescendant={`folder-${active}`}
      ref={container}
      onKeyDown={press}
    >
      <div style={{ height: `${before}px` }} role="presentation" />
      {drawn.map((place) => (
        <TreeLine
          key={lines[place - 1]?.folderId ?? ""}
          {...props}
          line={lines[place - 1]}
          place={place}
          isActive={place === active}
          onPoint={() => setActive(place)}
          setIsOpen={setIsOpen}
        />
      ))}
      <div style={{ height: `${after}px` }} role="presentation" />
    </div>
  );
}

interface LineProps extends Props {
  /** Undefined: all experiments. */
  line: FolderLine | undefined;
  place: number;
  isActive: boolean;
  onPoint: () => void;
  setIsOpen: (folderId: string, isOpen: boolean) => void;
}

function TreeLine(props: LineProps) {
  const { reply, line, place, wanted, isActive, onPoint, onChoose, onMove, setIsOpen } = props;
  const [isOver, setIsOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    const dragged = droppedOn(event);
    if (dragged !== undefined) onMove(dragged, line?.folderId ?? null);
  };
  const level = line?.level ?? 1;
  return (
    <div
      class={`folder ${isOver ? "over" : ""}`}
      role="treeitem"
      id={`folder-${place}`}
      aria-level={level}
      aria-expanded={line?.hasFolders ? line.isOpen : undefined}
      aria-selected={wanted === line?.folderId}
      data-active={isActive}
      title={line?.name}
      style={{ paddingLeft: `${0.5 + (level - 1) * 0.875}rem` }}
      draggable={line !== undefined}
      onDragStart={(event) => line && startDrag(event, { kind: "folder", id: line.folderId })}
      onDragOver={(event) => {
        if (!isDragged(event)) return;
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
      onMouseDown={onPoint}
      onClick={() => onChoose(line?.folderId)}
    >
      <span
        class="opener"
        aria-hidden="true"
        onClick={(event) => {
          if (!line?.hasFolders) return;
          event.stopPropagation();
          setIsOpen(line.folderId, !line.isOpen);
        }}
      >
        {line?.hasFolders && (line.isOpen ? "▾" : "▸")}
      </span>
      <bdi>{line?.name ?? "All"}</bdi>
      <span class="count">{countText(line?.experimentsBelow ?? reply.experiments)}</span>
    </div>
  );
}

function openAtFirst({ folders }: FoldersReply): ReadonlySet<string> {
  return new Set(folders.length > openMax ? [] : folders.map(({ folderId }) => folderId));
}
