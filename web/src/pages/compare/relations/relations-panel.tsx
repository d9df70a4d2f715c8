import { useMemo, useState } from "preact/hooks";
import { cutText } from "../../../chart/cut.ts";
import { toggled } from "../../../parts/toggled.ts";
import { useDifference } from "../difference/use-difference.ts";
import type { PanelProps } from "../panel.ts";
import { AxisChoice } from "./axis-choice.tsx";
import { AxisRanges } from "./axis-ranges.tsx";
import { brushedParameters, queryOf } from "./brush-address.ts";
import { brushesOf, isSaid, type Brush } from "./brushes.ts";
import { Parallel } from "./parallel.tsx";
import { drawnOf, missingTexts, plottedText } from "./plotted.ts";
import {
  plots,
  readRelationsView,
  relationsParameters,
  scatterAxes,
  type RelationsView,
} from "./relations-view.ts";
import { Scatter } from "./scatter.tsx";
import { usualAxes } from "./usual-axes.ts";
import { useValues } from "./use-values.ts";

/** Values of the experiments plotted against each other; nothing is read before it is opened. */
export function RelationsPanel(props: PanelProps) {
  const { location } = props;
  const view = readRelationsView((name) => location.parameter(name));
  const change = (changed: Partial<RelationsView>) =>
    location.change(relationsParameters({ ...view, ...changed }), true);
  return (
    <section class="relations" aria-label="Relations">
      <header>
        <h2>relations</h2>
        <div class="choices">
          {plots.map((plot) => (
            <button
              key={plot}
              type="button"
              aria-pressed={view.plot === plot}
              onClick={() => change({ plot: view.plot === plot ? undefined : plot })}
            >
              {plot === "parallel" ? "parallel coordinates" : "scatter"}
            </button>
          ))}
        </div>
      </header>
      {view.plot !== undefined && <WithAxes {...props} view={view} change={change} />}
    </section>
  );
}

interface ChosenProps extends PanelProps {
  view: RelationsView;
  change: (changed: Partial<RelationsView>) => void;
}

/** The chosen axes, or the default ones. */
function WithAxes(props: ChosenProps) {
  const { service, compared, view } = props;
  const { reply, problem } = useDifference(service, compared, { metricsMax: 20 });
  const usual = useMemo(() => reply && usualAxes(reply), [reply]);
  const axes = view.axes ?? usual;
  if (axes === undefined)
    return <p role={problem === undefined ? undefined : "alert"}>{problem ?? "…"}</p>;
  return <RelationsPlot {...props} fields={axes} />;
}

function RelationsPlot(props: ChosenProps & { fields: readonly string[] }) {
  const { service, location, compared, address, view, change, fields } = props;
  const [raised, setRaised] = useState<string>();
  const asked = address.asked!;
  const brushes = brushesOf(queryOf(asked), fields);
  const { reply, problem } = useValues(service, compared, asked, fields, [...brushes.keys()]);
  const chosen = view.plot === "scatter" && fields.length > 0 ? scatterAxes(view, fields) : fields;
  const drawn = useMemo(
    () => reply && drawnOf(reply, chosen, view.logs, compared),
    [reply, compared, chosen.join(), view.logs.join()],
  );
  // The remaining experiments might have other default axes: the drawn ones are kept.
  const brush = (changed: ReadonlyMap<string, Brush | undefined>) => {
    if (isSaid(brushes, changed)) return;
    const { axes } = relationsParameters({ ...view, axes: fields });
    const tested = brushedParameters(asked, compared.reference?.experimentId, changed);
    location.change({ ...tested, axes }, true);
  };
  const shown = drawn?.plotted.find(({ experimentId }) => experimentId === raised);
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
      <AxisChoice {...{ service, view, change, fields, chosen }} />
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
      <p class="told" aria-live="polite">
        {shown && drawn ? plottedText(shown, drawn.axes) : ""}
      </p>
      {drawn !== undefined && (
        <>
          {reply?.cut && <p class="count">Showing points {cutText(reply.cut)}.</p>}
          {missingTexts(drawn.plotted, drawn.axes).map((text) => (
            <p key={text} class="count">
              {text}
            </p>
          ))}
          <AxisRanges
            axes={drawn.axes}
            brushes={brushes}
            logs={view.logs}
            onBrush={brush}
            onLog={(field) => change({ logs: toggled(view.logs, field) })}
          />
        </>
      )}
    </>
  );
}
