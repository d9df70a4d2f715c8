import { useMemo, useState } from "preact/hooks";
import { Loaded } from "../../../parts/loaded.tsx";
import { cutText, type Cut } from "../../../chart/cut.ts";
import { useDifference } from "../difference/use-difference.ts";
import type { PanelProps } from "../panel.ts";
import { AxisChoice } from "./axis-choice.tsx";
import { AxisRanges } from "./axis-ranges.tsx";
import { ColourLegend } from "./colour-legend.tsx";
import { brushedParameters, queryOf } from "./brush-address.ts";
import { brushesOf, isSaid, type Brush, type Brushes } from "./brushes.ts";
import { Parallel } from "./parallel.tsx";
import { drawnOf, missingTexts, plottedText, type Drawn } from "./plotted.ts";
import {
  chosenLog,
  colourField,
  relationsParameters,
  scatterAxes,
  withLog,
  type RelationsView,
} from "./relations-view.ts";
import { Scatter } from "./scatter.tsx";
import { textAxes, usualAxes } from "./usual-axes.ts";
import { useValues } from "./use-values.ts";

interface ChosenProps extends PanelProps {
  view: RelationsView;
  change: (changed: Partial<RelationsView>) => void;
}

/** The chosen axes, or the default ones. */
export function WithAxes(props: ChosenProps) {
  const { service, compared, view } = props;
  const { reply, problem } = useDifference(service, compared, { metricsMax: 20 });
  const usual = useMemo(() => reply && usualAxes(reply), [reply]);
  const texts = useMemo(() => (reply === undefined ? none : textAxes(reply)), [reply]);
  const axes = view.axes ?? usual;
  // Until it is known which are texts, a scatter plot has no usual axis.
  const isKnown = reply !== undefined || problem !== undefined || view.x !== undefined;
  if (axes === undefined || (view.plot === "scatter" && !isKnown))
    return <p role={problem === undefined ? undefined : "alert"}>{problem ?? "…"}</p>;
  return <RelationsPlot {...props} fields={axes} texts={texts} />;
}

const none: ReadonlySet<string> = new Set();

const loadPicture = () =>
  import("./relations-picture.tsx").then(({ RelationsPicture }) => RelationsPicture);

interface PlotProps extends ChosenProps {
  fields: readonly string[];
  /** Fields whose values are not all numbers. */
  texts: ReadonlySet<string>;
}

function RelationsPlot(props: PlotProps) {
  const { service, location, compared, address, view, change, fields, texts } = props;
  const [raised, setRaised] = useState<string>();
  const [isPictured, setIsPictured] = useState(false);
  const asked = address.asked!;
  const brushes = brushesOf(queryOf(asked), fields);
  const isScatter = view.plot === "scatter" && fields.length > 0;
  const chosen = isScatter ? scatterAxes(view, fields, texts) : fields;
  const colour = colourField(view, fields, chosen);
  const read = colour === undefined ? fields : [...new Set([...fields, colour])];
  const { reply, problem } = useValues(service, compared, asked, read, [...brushes.keys()]);
  const choice = { chosen, colour, brushes, isLog: (field: string) => chosenLog(view, field) };
  const drawn = useMemo(
    () => reply && drawnOf(reply, choice, compared),
    [reply, compared, JSON.stringify([chosen, colour, view.logs, view.linears, [...brushes]])],
  );
  // The remaining experiments might have other default axes: the drawn ones are kept.
  const brush = (changed: ReadonlyMap<string, Brush | undefined>) => {
    if (isSaid(brushes, changed)) return;
    const { axes } = relationsParameters({ ...view, axes: fields });
    const tested = brushedParameters(asked, compared.reference?.experimentId, changed);
    location.change({ ...tested, axes }, true);
  };
  const drawing = drawn && {
    ...drawn,
    brushes,
    onBrush: brush,
    raised,
    onRaise: setRaised,
    onOpen: (id: string) => location.open(`/experiments/${encodeURIComponent(id)}`),
  };
  return (
    <>
      <AxisChoice
        {...{ service, view, change, fields, chosen, colour }}
        onPicture={() => setIsPictured(true)}
      />
      {isPictured && drawn !== undefined && (
        <Loaded
          load={loadPicture}
          props={{ drawn, isScatter: view.plot === "scatter", onClose: () => setIsPictured(false) }}
        />
      )}
      {problem !== undefined && <p role="alert">not up to date: {problem}</p>}
      {fields.length === 0 ? (
        <p class="count">No key differs and there are no metrics. Choose the axes yourself.</p>
      ) : drawing === undefined ? (
        <p class="count">…</p>
      ) : view.plot === "scatter" ? (
        <Scatter {...drawing} />
      ) : (
        <Parallel {...drawing} />
      )}
      {drawn !== undefined && (
        <BelowPlot {...{ drawn, raised, brushes, view, change }} cut={reply?.cut} onBrush={brush} />
      )}
    </>
  );
}

interface BelowProps extends Pick<ChosenProps, "view" | "change"> {
  drawn: Drawn;
  raised: string | undefined;
  brushes: Brushes;
  cut: Cut | undefined;
  onBrush: (changed: ReadonlyMap<string, Brush | undefined>) => void;
}

/** The meaning of the colours, the raised experiment, those left out, and ranges of the axes. */
function BelowPlot({ drawn, raised, brushes, cut, view, change, onBrush }: BelowProps) {
  const { axes, plotted, colours } = drawn;
  const shown = plotted.find(({ experimentId }) => experimentId === raised);
  return (
    <>
      {colours !== undefined && <ColourLegend colours={colours} />}
      <p class="told" aria-live="polite">
        {shown === undefined ? "" : plottedText(shown, axes)}
      </p>
      {cut !== undefined && <p class="count">Showing points {cutText(cut)}.</p>}
      {missingTexts(plotted, axes).map((text) => (
        <p key={text} class="count">
          {text}
        </p>
      ))}
      <AxisRanges
        {...{ axes, brushes, onBrush }}
        onLog={(field, isLog) => change(withLog(view, field, isLog))}
      />
    </>
  );
}
