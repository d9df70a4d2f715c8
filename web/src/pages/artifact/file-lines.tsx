import { useId, useLayoutEffect, useState } from "preact/hooks";
import { useVisibleRows } from "../../parts/visible-rows.ts";
import { bytesText, countedText } from "../../parts/words.ts";
import type { FileLine } from "./file-tree.ts";

/** The height of `.file` in artifact.css. */
const linePixels = 30;

interface Props {
  lines: readonly FileLine[];
  chosen: string | undefined;
  /** Opens or closes a directory, or shows a file. */
  onAct: (line: FileLine) => void;
  onSave: (path: string) => void;
}

/** Lines of a tree: one Tab stop, and only lines near the screen are drawn. */
export function FileLines({ lines, chosen, onAct, onSave }: Props) {
  const id = useId();
  const [place, setPlace] = useState(0);
  const active = Math.min(place, lines.length - 1);
  const { container, first, last, before, after } = useVisibleRows(lines.length, linePixels);
  useLayoutEffect(() => {
    const element = container.current;
    if (element === null) return;
    const top = active * linePixels;
    // The line may not be drawn yet, so its place is computed.
    const lowest = top + linePixels - element.clientHeight;
    element.scrollTop = Math.min(Math.max(element.scrollTop, lowest), top);
  }, [active]);
  const press = (event: KeyboardEvent) => {
    const line = lines.at(active);
    if (event.ctrlKey || event.metaKey || event.altKey || line === undefined) return;
    const next = placeAfter(event.key, lines, active);
    if (next !== undefined) setPlace(Math.min(Math.max(next, 0), lines.length - 1));
    else if (isAct(event.key, line)) onAct(line);
    else if (event.key === "d" && line.file !== undefined) onSave(line.path);
    else return;
    event.preventDefault();
  };
  return (
    <div
      class="file-tree"
      role="tree"
      aria-label="Files; Enter shows one, d downloads it"
      tabIndex={0}
      aria-activedescendant={lines.length === 0 ? undefined : `${id}-${active}`}
      ref={container}
      onKeyDown={press}
    >
      <div style={{ height: `${before}px` }} role="presentation" />
      {lines.slice(first, last).map((line, at) => (
        <Line
          key={line.path}
          line={line}
          id={`${id}-${first + at}`}
          isActive={first + at === active}
          isChosen={line.path === chosen}
          onAct={() => {
            setPlace(first + at);
            onAct(line);
          }}
          onSave={() => onSave(line.path)}
        />
      ))}
      <div style={{ height: `${after}px` }} role="presentation" />
    </div>
  );
}

/** The line that a key leads to; undefined: none. */
function placeAfter(key: string, lines: readonly FileLine[], at: number): number | undefined {
  if (key === "ArrowDown" || key === "j") return at + 1;
  if (key === "ArrowUp" || key === "k") return at - 1;
  if (key === "Home") return 0;
  if (key === "End") return lines.length - 1;
  if (key !== "ArrowLeft" || lines[at].isOpen) return undefined;
  const above = lines.findLastIndex(({ level }, place) => place < at && level < lines[at].level);
  return above === -1 ? at : above;
}

function isAct(key: string, { file, isOpen }: FileLine): boolean {
  if (key === "Enter" || key === " ") return true;
  return file === undefined && key === (isOpen ? "ArrowLeft" : "ArrowRight");
}

interface LineProps {
  line: FileLine;
  id: string;
  isActive: boolean;
  isChosen: boolean;
  onAct: () => void;
  onSave: () => void;
}

function Line({ line, id, isActive, isChosen, onAct, onSave }: LineProps) {
  const { word, path, level, bytes, files, file, isOpen } = line;
  return (
    <div
      class="file"
      role="treeitem"
      id={id}
      aria-level={level}
      aria-expanded={file === undefined ? isOpen : undefined}
      aria-selected={isChosen}
      data-active={isActive}
      title={path}
      style={{ paddingLeft: `${0.5 + 1.25 * (level - 1)}rem` }}
      onClick={onAct}
    >
      <span class="word">
        <span aria-hidden="true">{file !== undefined ? "" : isOpen ? "▾ " : "▸ "}</span>
        {file === undefined ? `${word}/` : word}
      </span>
      {file === undefined && <span class="count">{countedText(files, "file")}</span>}
      <span class="bytes">{bytesText(bytes)}</span>
      {file === undefined ? (
        <span class="save" />
      ) : (
        <button
          type="button"
          class="save"
          tabIndex={-1}
          aria-label={`Download ${path}`}
          title="Download (d)"
          onClick={(event) => {
            event.stopPropagation();
            onSave();
          }}
        >
          ⤓
        </button>
      )}
    </div>
  );
}
