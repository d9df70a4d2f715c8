import { useMemo } from "preact/hooks";
import { textWidth } from "../../chart/axes/tick-texts.ts";
import { shortened } from "../../pages/compare/relations/plotted.ts";
import { useWidth } from "../../pages/compare/relations/use-width.ts";
import { countText, valueText } from "../../parts/words.ts";
import type { Drawing } from "./drawing.ts";
import { coloursOf, drawnLayers, type Frame, rangeOfCells } from "./plot-paths.ts";
import { type Scale, scalesOf } from "./scale.ts";
import { shadeCount, shadeOf } from "./shades.ts";

const usualHeight = 260;
const [rowPixels, heightMax] = [20, 560];
const [top, right, bottom] = [20, 16, 44];
/** Characters of a name beside an axis. */
const nameCharacters = 18;
/** Names of a legend, and classes whose cells have their number. */
const legendMax = 12;
const numberedMax = 20;
/** The shade from which a number on it has the other colour. */
const darkFrom = 9;

/** A plot that a run has logged, drawn by us. */
export function PlotFigure({ drawing, label }: { drawing: Drawing; label: string }) {
  const { element, width: whole } = useWidth();
  const width = Math.max(240, whole);
  const { frame, height, layers } = useMemo(() => laidOut(drawing, width), [drawing, width]);
  const title = drawing.title === "" ? label : drawing.title;
  return (
    <div class="plot-figure" ref={element}>
      {drawing.title !== "" && <p class="title">{drawing.title}</p>}
      <svg width={width} height={height} role="img" aria-label={sentenceOf(title, drawing)}>
        <Axes frame={frame} height={height} />
        {layers.map(({ kind, colour, path, shade }, at) => (
          <path
            key={at}
            class={`${kind} ${colour === undefined ? "" : `line-${colour}`}`}
            d={path}
            {...(shade !== undefined && { "fill-opacity": shade / shadeCount })}
          />
        ))}
        <CellNumbers drawing={drawing} frame={frame} />
      </svg>
      <Legend drawing={drawing} />
    </div>
  );
}

function laidOut(drawing: Drawing, width: number) {
  const { across, up } = scalesOf(drawing);
  const rows = drawing.y.names?.length ?? 0;
  const height = Math.min(heightMax, Math.max(usualHeight, rows * rowPixels + top + bottom));
  const texts = up.ticks.map(({ text }) => textWidth(shortened(text, nameCharacters)));
  const left = Math.min(width / 3, Math.max(36, ...texts) + 12);
  const frame: Frame = {
    across,
    up,
    left,
    top,
    width: width - left - right,
    height: height - top - bottom,
  };
  return { frame, height, layers: drawnLayers(drawing, frame) };
}

function Axes({ frame, height }: { frame: Frame; height: number }) {
  const { across, up, left, top: above } = frame;
  const low = above + frame.height;
  const xOf = (place: number) => left + place * frame.width;
  const yOf = (place: number) => above + (1 - place) * frame.height;
  const shown = inRoom(across, frame.width);
  return (
    <>
      <rect class="ground" x={left} y={above} width={frame.width} height={frame.height} />
      {up.ticks.map(({ place, text }) => (
        <g key={`y ${place}`} class="tick">
          <line x1={left - 4} x2={left} y1={yOf(place)} y2={yOf(place)} />
          <text x={left - 8} y={yOf(place) + 4} text-anchor="end">
            {shortened(text, nameCharacters)}
          </text>
        </g>
      ))}
      {shown.map(({ place, text }) => (
        <g key={`x ${place}`} class="tick">
          <line x1={xOf(place)} x2={xOf(place)} y1={low} y2={low + 4} />
          <text x={xOf(place)} y={low + 17} text-anchor="middle">
            {shortened(text, nameCharacters)}
          </text>
        </g>
      ))}
      <text class="axis-title" x={left + frame.width / 2} y={height - 8} text-anchor="middle">
        {across.title}
      </text>
      <text class="axis-title" x={left} y={above - 7}>
        {up.title}
      </text>
    </>
  );
}

/** Labels that do not overlap. */
function inRoom({ ticks }: Scale, width: number): Scale["ticks"] {
  const widest = Math.max(
    1,
    ...ticks.map(({ text }) => textWidth(shortened(text, nameCharacters))),
  );
  const every = Math.ceil(((widest + 10) * ticks.length) / width);
  return ticks.filter((_, at) => at % every === 0);
}

function CellNumbers({ drawing, frame }: { drawing: Drawing; frame: Frame }) {
  const [layer] = drawing.layers;
  if (layer?.kind !== "cells" || layer.rows.length > numberedMax) return null;
  const columns = layer.rows[0]?.length ?? 0;
  if (columns > numberedMax || frame.width / columns < 28) return null;
  const { from, high } = rangeOfCells(layer.rows);
  return (
    <>
      {layer.rows.map((values, row) =>
        values.map((value, column) => (
          <text
            key={`${row} ${column}`}
            class={shadeOf((value - from) / (high - from || 1)) > darkFrom ? "cell dark" : "cell"}
            x={frame.left + frame.across.placeOf(column) * frame.width}
            y={frame.top + (1 - frame.up.placeOf(row)) * frame.height + 4}
            text-anchor="middle"
          >
            {Number.isFinite(value) ? valueText(value, 3) : ""}
          </text>
        )),
      )}
    </>
  );
}

function Legend({ drawing: { layers } }: { drawing: Drawing }) {
  const colours = [...coloursOf(layers)];
  if (colours.length === 0) return null;
  const rest = colours.length - legendMax;
  return (
    <ul class="legend">
      {colours.slice(0, legendMax).map(([name, colour]) => (
        <li key={name}>
          <i class={`swatch line-${colour}`} aria-hidden="true" /> <bdi>{name}</bdi>
        </li>
      ))}
      {rest > 0 && <li>and {countText(rest)} more</li>}
    </ul>
  );
}

const kindWords = { line: "lines", points: "points", bars: "bars", cells: "a heat map" } as const;

function sentenceOf(title: string, { layers, x, y }: Drawing): string {
  const kinds = [...new Set(layers.map(({ kind }) => kindWords[kind]))].join(" and ");
  const axes = [y.title, x.title].filter(Boolean).join(" over ");
  return `${title}: ${kinds}${axes === "" ? "" : `, ${axes}`}`;
}
