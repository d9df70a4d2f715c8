import type { PanelProps } from "../panel.ts";
import { WithAxes } from "./relations-plot.tsx";
import {
  plots,
  readRelationsView,
  relationsParameters,
  type RelationsView,
} from "./relations-view.ts";

/** Values of the experiments plotted against each other; nothing is read before it is opened. */
export function RelationsPanel(props: PanelProps) {
  const { location } = props;
  const read = () => readRelationsView((name) => location.parameter(name));
  const view = read();
  const change = (changed: Partial<RelationsView>) =>
    location.change(relationsParameters({ ...read(), ...changed }), true);
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
      {view.plot !== undefined && <WithAxes {...props} {...{ view, change }} />}
    </section>
  );
}
