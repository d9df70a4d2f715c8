import type { LoggedHistogramsReply } from "@lossless/client";
import { useMemo, useState } from "preact/hooks";
import { margin } from "../../chart/axes/margins.ts";
import { numberTexts } from "../../chart/axes/tick-texts.ts";
import { numberTicks } from "../../pages/compare/relations/axis.ts";
import { useWidth } from "../../pages/compare/relations/use-width.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { countText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import { metadataText } from "../logged-series.ts";
import type { MediaExperiment } from "../media-experiment.ts";
import { RunName } from "../run-name.tsx";
import { shadeCount, shadePaths } from "../plots/shades.ts";
import type { DrawnHeat } from "./heat-drawing.ts";
import {
  axisOfMaps,
  binText,
  cellsOfMap,
  columnAt,
  type Grid,
  largestShare,
} from "./histogram-columns.ts";
import { placeOn, type StepAxis, stepOn, stepTicks } from "./step-axis.ts";
import { useHistograms } from "./use-maps.ts";

type HistogramMap = LoggedHistogramsReply["maps"][number];

export interface SeriesPanelProps {
  service: Service;
  experiments: readonly MediaExperiment[];
  name: string;
  /** The zoom of the charts, where their axis is steps. */
  range: StepAxis | undefined;
  version: number;
  isNear: boolean;
  /** The step of the page; undefined: the newest. */
  step: number | undefined;
  onStep: (step: number) => void;
}

const [height, bottom] = [180, 22];
/** Maps drawn at first: a comparison may have a hundred. */
const mapsAtOnce = 12;
/** Pixels of a column at least. */
const columnPixels = 4;

/** Histograms over steps as a heat map for each experiment. */
export function HistogramPanel(props: SeriesPanelProps) {
  const { service, experiments, range } = props;
  const { element, width } = useWidth();
  const plotWidth = Math.max(0, width - margin.left - margin.right);
  const columns = Math.min(256, Math.floor(plotWidth / columnPixels / 8) * 8);
  const ids = experiments.map(({ experimentId }) => experimentId);
  const { found, problem } = useHistograms(service, { ...props, ids }, columns);
  const maps = found?.maps ?? [];
  const shown = maps.filter((map) => map.columns.length > 0);
  const axis = useMemo(() => range ?? axisOfMaps(shown), [found, range]);
  const largest = useMemo(() => largestShare(shown), [found]);
  const [drawn, setDrawn] = useState(mapsAtOnce);
  const rest = shown.length - drawn;
  const files = maps.reduce((sum, map) => sum + map.files, 0);
  return (
    <div class="histograms" ref={element}>
      {problem !== undefined && <p role="alert">{problem}</p>}
      {found !== undefined &&
        shown.slice(0, drawn).map((map) => (
          <div key={`${map.experimentId} ${metadataText(map.metadata)}`}>
            <RunName experiments={experiments} {...map} />
            <HeatMap
              {...{ map, axis, largest, width: plotWidth }}
              grid={found}
              name={props.name}
              step={props.step}
              onStep={props.onStep}
            />
          </div>
        ))}
      {found !== undefined && shown.length === 0 && files === 0 && (
        <p class="count">No histogram in this range.</p>
      )}
      {rest > 0 && (
        <button type="button" onClick={() => setDrawn(drawn + mapsAtOnce)}>
          show {countText(Math.min(rest, mapsAtOnce))} more
        </button>
      )}
      {files > 0 && (
        <p class="count">
          {countText(files)} of an older client have their numbers in files, and are not drawn.
        </p>
      )}
    </div>
  );
}

interface HeatMapProps {
  map: HistogramMap;
  grid: Grid;
  axis: StepAxis;
  largest: number;
  /** Width of the plot, in pixels. */
  width: number;
  name: string;
  step: number | undefined;
  onStep: (step: number) => void;
}

/** A heat map; the pointer and the arrow keys read a bin, a click goes to its step. */
function HeatMap({ map, grid, axis, largest, width, name, step, onStep }: HeatMapProps) {
  const { columns } = map;
  const [read, setRead] = useState<{ column: number; bin: number }>();
  const room = { left: margin.left, top: 4, width, height: height - bottom - 4 };
  const paths = useMemo(
    () => shadePaths(cellsOfMap(map, grid.bins, axis, largest, room)),
    [map, axis, largest, width],
  );
  const present = step === undefined ? columns.length - 1 : columnAt(columns, step)!;
  const at = read ?? { column: present, bin: fullestBin(columns[present].counts) };
  const placeOf = ({ clientX, clientY, currentTarget }: PointerEvent | MouseEvent) => {
    const box = (currentTarget as SVGElement).getBoundingClientRect();
    const across = (clientX - box.left - room.left) / room.width;
    const up = 1 - (clientY - box.top - room.top) / room.height;
    const column = columnAt(columns, stepOn(axis, across))!;
    const bin = Math.min(grid.bins - 1, Math.max(0, Math.floor(up * grid.bins)));
    return { column, bin };
  };
  const press = (event: KeyboardEvent) => {
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, 1],
      ArrowDown: [0, -1],
    };
    const move = moves[event.key];
    if (event.key === "Enter") onStep(columns[at.column].step);
    else if (move === undefined) return;
    else {
      const clamped = (value: number, most: number) => Math.min(most, Math.max(0, value));
      setRead({
        column: clamped(at.column + move[0], columns.length - 1),
        bin: clamped(at.bin + move[1], grid.bins - 1),
      });
    }
    event.preventDefault();
  };
  const text = binText(grid, columns[at.column] ?? columns[0], at.bin);
  return (
    <>
      <svg
        class="heat"
        width={room.left + width + margin.right}
        height={height}
        tabIndex={0}
        role="img"
        aria-label={`Histograms of ${name} over steps. ${text}. The arrow keys read other bins.`}
        onPointerMove={(event) => setRead(placeOf(event))}
        onPointerLeave={() => setRead(undefined)}
        onBlur={() => setRead(undefined)}
        onClick={(event) => onStep(columns[placeOf(event).column].step)}
        onKeyDown={press}
      >
        <rect class="ground" x={room.left} y={room.top} width={width} height={room.height} />
        {paths.map(({ shade, path }) => (
          <path key={shade} class="cells" d={path} fill-opacity={shade / shadeCount} />
        ))}
        <HeatAxes {...{ grid, axis, room }} />
        {step !== undefined && <StepLine {...{ axis, step, room }} />}
      </svg>
      <div class="below">
        <span aria-live="polite">{text}</span>{" "}
        <PictureButton {...{ map, grid, axis, largest, name }} />
      </div>
    </>
  );
}

/** Opens the dialog for a picture of a heat map, and loads it. */
function PictureButton(drawn: DrawnHeat) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" class="quiet" onClick={() => setIsOpen(true)}>
        picture as PNG or SVG…
      </button>
      {isOpen && (
        <Loaded load={loadPicture} props={{ ...drawn, onClose: () => setIsOpen(false) }} />
      )}
    </>
  );
}

const loadPicture = () => import("./heat-picture.tsx").then(({ HeatPicture }) => HeatPicture);

interface Room {
  left: number;
  top: number;
  width: number;
  height: number;
}

function HeatAxes({ grid: { low, high }, axis, room }: { grid: Grid; axis: StepAxis; room: Room }) {
  const values = numberTicks(low, high, false);
  const { texts, note } = numberTexts(values);
  const yOf = (value: number) => room.top + (1 - (value - low) / (high - low || 1)) * room.height;
  return (
    <>
      {values.map((value, at) => (
        <g key={value} class="tick">
          <line x1={room.left - 4} x2={room.left} y1={yOf(value)} y2={yOf(value)} />
          <text
            x={room.left - 8}
            y={Math.max(room.top + 9, Math.min(room.top + room.height, yOf(value) + 4))}
            text-anchor="end"
          >
            {texts[at]}
          </text>
        </g>
      ))}
      {note !== "" && (
        <text x={room.left + 4} y={room.top + 12}>
          {note}
        </text>
      )}
      {stepTicks(axis).map(({ place, text }) => (
        <text
          key={place}
          x={room.left + place * room.width}
          y={height - 6}
          text-anchor={place > 0.95 ? "end" : "middle"}
        >
          {text}
        </text>
      ))}
    </>
  );
}

function StepLine({ axis, step, room }: { axis: StepAxis; step: number; room: Room }) {
  const place = placeOn(axis, step);
  if (place < 0 || place > 1) return null;
  const x = room.left + place * room.width;
  return <line class="step" x1={x} x2={x} y1={room.top} y2={room.top + room.height} />;
}

function fullestBin(counts: readonly number[]): number {
  return counts.indexOf(Math.max(...counts));
}
