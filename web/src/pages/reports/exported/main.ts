/** The script of a report saved as a file: draws its charts from the data in the file. */
import { isHere, readingAt } from "../../../chart/cursor/reading.ts";
import { h, render } from "preact";
import { createFrame, type Frame } from "../../../chart/paint/frame.ts";
import { margin, rightOf } from "../../../chart/axes/margins.ts";
import { Lane } from "../../../chart/lane/lane.tsx";
import { spokenAt } from "../../../chart/cursor/readings.tsx";
import { pictureFor, type ExportedChart } from "./exported-chart.ts";

const data = document.querySelector("#charts")?.textContent ?? "[]";
const charts = JSON.parse(data) as ExportedChart[];
const figures = [...document.querySelectorAll("figure.chart")];

function draw(figure: Element, chart: ExportedChart): Frame {
  const { overview, looks } = pictureFor(chart, devicePixelRatio);
  const { view, digits, width, height, hasNames, happened } = chart;
  const told = figure.querySelector(".at")!;
  const plotWidth = width - margin.left - rightOf(hasNames, width);
  const below = figure.querySelector<HTMLElement>(".happened")!;
  // Content that opens there stays visible on screens narrower than the chart.
  below.style.width = `${width}px`;
  const isWhole = view.range === undefined;
  render(h(Lane, { happened, overview, width: plotWidth, isWhole }), below);
  return createFrame(figure.querySelector(".plot")!, {
    overview,
    view,
    width,
    height,
    isCurrent: true,
    kinds: looks.map(({ kind }) => kind),
    names: hasNames ? looks.map(({ name }) => name) : undefined,
    // The file has no data for a zoom.
    onView: () => undefined,
    onPointer: (place) => {
      // A pointer lies between two steps; the first line that is there decides which one is read.
      const readings = place && overview.series.map((one) => readingAt(one, overview, place.x));
      const x = place && (readings?.find(isHere)?.x ?? place.x);
      told.textContent = x === undefined ? "" : spokenAt(overview, looks, x, digits);
    },
  });
}

for (const styled of document.querySelectorAll<HTMLElement>("[data-style]"))
  styled.style.cssText = styled.dataset.style!;
let drawn: Frame[] = [];
const drawAll = () => {
  for (const one of drawn) one.destroy();
  drawn = charts.map((chart, at) => draw(figures[at], chart));
};
drawAll();
// Colours are those of the screen's theme, and light ones on paper.
matchMedia("screen and (prefers-color-scheme: dark)").addEventListener("change", drawAll);
