import type { ChartBlock } from "@lossless/protocol";
import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import { csvFile } from "../parts/csv.ts";
import { Menu } from "../parts/menu.tsx";
import { fileName, saveFile } from "../parts/save-file.ts";
import { AddToReport } from "../saved/add-to-report.tsx";
import type { Service } from "../signed-in.ts";

interface Props {
  name: string;
  figure: RefObject<HTMLElement | null>;
  isPinned: boolean;
  onPin: () => void;
  /** Address of a file with all its points. */
  csv: string;
  /** The drawn groups as rows of a file. */
  groups: () => (string | number)[][];
  isGrouped: boolean;
  hasNumbers: boolean;
  onNumbers: () => void;
  onAnnotate: (() => void) | undefined;
  /** Undefined: the series is of several experiments. */
  onConsole: (() => void) | undefined;
  /** Undefined: the series is of several experiments. */
  onDelete?: (() => void) | undefined;
  service: Service;
  /** The chart as a block of a report. */
  block: ChartBlock;
}

/** Actions on a chart. */
export function ChartMenu(props: Props) {
  const { name, figure, isPinned, onPin, csv, hasNumbers, onNumbers } = props;
  const { onAnnotate, onConsole, onDelete, service, block } = props;
  const [isReported, setIsReported] = useState(false);
  const { groups, isGrouped } = props;
  const save = () => saveFile(fileName(name, "csv"), csvFile(groups()));
  const fullScreen = () => {
    const isFull = document.fullscreenElement !== null;
    void (isFull ? document.exitFullscreen() : figure.current!.requestFullscreen());
  };
  return (
    <>
      {isReported && (
        <AddToReport service={service} block={block} onClose={() => setIsReported(false)} />
      )}
      <Menu sign="⋯" label={`Menu of ${name}`} place="corner">
        <button type="button" aria-pressed={isPinned} onClick={onPin}>
          {isPinned ? "unpin" : "pin to the top"}
        </button>
        <button type="button" aria-keyshortcuts="t" aria-pressed={hasNumbers} onClick={onNumbers}>
          numbers as a table
        </button>
        <a href={csv} download>
          every point as CSV
        </a>
        {isGrouped && (
          <button type="button" onClick={save}>
            means and bands as CSV
          </button>
        )}
        {onAnnotate !== undefined && (
          <button type="button" aria-keyshortcuts="a" onClick={onAnnotate}>
            annotate at the cursor…
          </button>
        )}
        {onConsole !== undefined && (
          <button type="button" aria-keyshortcuts="o" onClick={onConsole}>
            console at the cursor
          </button>
        )}
        <button type="button" onClick={() => setIsReported(true)}>
          add to a report…
        </button>
        <button type="button" aria-keyshortcuts="f" onClick={fullScreen}>
          full screen
        </button>
        {onDelete !== undefined && (
          <button type="button" onClick={onDelete}>
            move the series to the trash…
          </button>
        )}
      </Menu>
    </>
  );
}
