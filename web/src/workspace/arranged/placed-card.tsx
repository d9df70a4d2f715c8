import type { Layout } from "@lossless/client";
import { parametersOf, type ChartView } from "../../chart/view.ts";
import type { Section } from "../../pages/experiment/sections.ts";
import type { ChartPlaces, DrawnChart } from "../drawn-chart.ts";
import { withChart, withHidden } from "./edits.ts";
import { Handle } from "./handle.tsx";
import { hiddenName, matchesAny, titleOf, type PlacedChart, type PlacedCharts } from "./placed.ts";

interface Props {
  places: ChartPlaces;
  placed: PlacedCharts;
  section: Section;
  chart: PlacedChart;
  /** Whether it has a handle. */
  isMovable: boolean;
  /** Moves a chart to a place in a section. */
  move: (key: string, section: string, at: number) => void;
}

/** A chart in its section. */
export function PlacedCard({ places, placed, section, chart, isMovable, move }: Props) {
  const { workspace, arranging, draw } = places;
  const { key } = chart;
  const drop = (over: string, isAfter: boolean) => {
    const target = placed.sections.find(({ series }) => series.includes(over));
    if (target === undefined || target.name === hiddenName || over === key) return;
    const others = target.series.filter((each) => each !== key);
    move(key, target.name, others.indexOf(over) + (isAfter ? 1 : 0));
  };
  return (
    <div
      class="placed"
      data-key={key}
      data-movable={isMovable}
      {...spanOf(chart, workspace.layout)}
    >
      {isMovable && (
        <Handle
          name={titleOf(chart)}
          onStep={(by) => move(key, section.name, section.series.indexOf(key) + by)}
          onDrop={drop}
          onSettings={() => arranging.open(key)}
        />
      )}
      {draw(drawnOf(places, chart))}
    </div>
  );
}

/** The columns of the page that a chart covers: more than one of an unknown number are all. */
function spanOf({ columns = 1 }: PlacedChart, { columns: all }: Layout) {
  if (columns === 1) return {};
  if (all === undefined || columns >= all) return { "data-span": "all" };
  return { "data-span": "some", style: { "--span": columns } };
}

/** A chart with what its layout says of it. */
function drawnOf({ workspace, change }: ChartPlaces, chart: PlacedChart): DrawnChart {
  const { key, names, operator, view: own, title, height } = chart;
  const { layout, edit } = workspace;
  const isHidden = matchesAny(key, layout.hidden ?? []);
  const show = () => edit(withHidden(layout, key, false, (each) => matchesAny(key, [each])));
  const drawn = { key, names, operator, own, title, plotHeight: height ?? layout.height };
  return {
    ...drawn,
    ...(isHidden && { isHidden, onHide: show }),
    ...(own !== undefined && {
      onView: (part, isStep) => {
        const { next, rest } = taken(own, part);
        if (next !== own) edit(withChart(layout, key, { view: next }));
        if (Object.keys(rest).length > 0) change(rest, isStep);
      },
    }),
  };
}

/** Divides a change of a view: what is the chart's own, and what is the page's. */
function taken(own: string, part: Partial<ChartView>) {
  const parameters = new URLSearchParams(own);
  const rest: Partial<ChartView> = {};
  for (const [field, value] of Object.entries(part)) {
    const one = { [field]: value } as Partial<ChartView>;
    const [[name, text]] = Object.entries(parametersOf(one));
    if (!parameters.has(name)) Object.assign(rest, one);
    else if (text !== undefined && text !== "") parameters.set(name, text);
  }
  return { next: parameters.toString(), rest };
}
