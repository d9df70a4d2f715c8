import type { OverviewBody } from "@lossless/client";
import type { ChartBlock } from "@lossless/protocol";
import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import { csvFile } from "../parts/csv.ts";
import { Loaded } from "../parts/loaded.tsx";
import { Menu } from "../parts/menu.tsx";
import { fileName, saveFile } from "../parts/save-file.ts";
import { mayWrite } from "../rights.ts";
import type { Service } from "../signed-in.ts";
import type { ChartPictureProps } from "./chart-picture.tsx";
import { seriesNamesText } from "./series-names.ts";
import { parquetAddress, pointsFiles } from "./overview/request.ts";

interface Props {
  name: string;
  figure: RefObject<HTMLElement | null>;
  isPinned: boolean;
  onPin: () => void;
  isHidden?: boolean | undefined;
  onHide: () => void;
  onArrange: () => void;
  /** The request for its points, of which there are files. */
  request: OverviewBody;
  /** The chart as a picture; undefined: there is nothing to draw yet. */
  picture: Omit<ChartPictureProps, "onClose"> | undefined;
  /** The drawn groups as rows of a file. */
  groups: () => (string | number)[][];
  isGrouped: boolean;
  hasNumbers: boolean;
  onNumbers: () => void;
  hasValues: boolean;
  onValues: () => void;
  /** Whether it has several lines, whose values can be listed. */
  isOfSeveral: boolean;
  onAnnotate: (() => void) | undefined;
  /** Undefined: the series is of several experiments. */
  onConsole: (() => void) | undefined;
  /** Undefined: the series is of several experiments. */
  onDelete?: (() => void) | undefined;
  service: Service;
  /** The chart as a block of a report. */
  block: ChartBlock;
}

const loadReports = () => import("../saved/add-to-report.tsx").then((file) => file.AddToReport);
const loadPicture = () => import("./chart-picture.tsx").then(({ ChartPicture }) => ChartPicture);

/** Actions on a chart. */
export function ChartMenu(props: Props) {
  const { name, figure, picture, hasNumbers, onNumbers } = props;
  const { hasValues, onValues, isOfSeveral } = props;
  const { onAnnotate, onConsole, onDelete, service, block } = props;
  const [isReported, setIsReported] = useState(false);
  const [isPictured, setIsPictured] = useState(false);
  return (
    <>
      {isReported && (
        <Loaded
          load={loadReports}
          props={{ service, block, onClose: () => setIsReported(false) }}
        />
      )}
      {isPictured && picture !== undefined && (
        <Loaded load={loadPicture} props={{ ...picture, onClose: () => setIsPictured(false) }} />
      )}
      <Menu sign="⋯" label={`Menu of ${name}`} place="corner">
        <Placing {...props} />
        <button type="button" aria-keyshortcuts="t" aria-pressed={hasNumbers} onClick={onNumbers}>
          numbers as a table
        </button>
        {isOfSeveral && (
          <button type="button" aria-keyshortcuts="v" aria-pressed={hasValues} onClick={onValues}>
            values at the cursor
          </button>
        )}
        {picture !== undefined && (
          <button type="button" onClick={() => setIsPictured(true)}>
            picture as PNG or SVG…
          </button>
        )}
        <Files {...props} />
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
        {mayWrite(service) && (
          <button type="button" onClick={() => setIsReported(true)}>
            add to a report…
          </button>
        )}
        <button
          type="button"
          aria-keyshortcuts="f"
          onClick={() => toggleFullScreen(figure.current!)}
        >
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

/** Entries that change the layout of the page. */
function Placing({ isPinned, onPin, isHidden, onHide, onArrange }: Props) {
  return (
    <>
      <button type="button" aria-pressed={isPinned} onClick={onPin}>
        {isPinned ? "unpin" : "pin to the top"}
      </button>
      <button type="button" onClick={onHide}>
        {isHidden ? "show again" : "hide"}
      </button>
      <button type="button" onClick={onArrange}>
        metrics, axes, size…
      </button>
    </>
  );
}

/** Files with the points of a chart, or with its groups. */
function Files({ name, request, isGrouped, groups }: Props) {
  const files = pointsFiles(request);
  const isCombined = request.series.some(({ combined }) => combined !== undefined);
  const save = () => saveFile(fileName(name, "csv"), csvFile(groups()));
  return (
    <>
      {files.map(({ names, operator, address }) => (
        <a key={address} href={address} download>
          every point {files.length > 1 && `of ${seriesNamesText(names, operator)} `}as CSV
        </a>
      ))}
      <a href={parquetAddress(request)} download>
        {isCombined && "both "}whole series as Parquet
      </a>
      {isGrouped && (
        <button type="button" onClick={save}>
          means and bands as CSV
        </button>
      )}
    </>
  );
}

function toggleFullScreen(figure: HTMLElement): void {
  const isFull = document.fullscreenElement !== null;
  void (isFull ? document.exitFullscreen() : figure.requestFullscreen());
}
