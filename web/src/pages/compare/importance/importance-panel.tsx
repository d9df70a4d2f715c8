import type { PanelProps } from "../panel.ts";
import { ImportanceCard } from "./importance-card.tsx";
import { mattersParameters, readMatters } from "./importance-view.ts";

/** The keys that a metric depends on; nothing is read before it is opened. */
export function ImportancePanel(props: PanelProps) {
  const { location } = props;
  const view = readMatters((name) => location.parameter(name));
  const toggle = () => location.change(mattersParameters({ ...view, isOpen: !view.isOpen }), true);
  return (
    <section class="importance" aria-label="Importance">
      <header>
        <h2>importance</h2>
        <div class="choices">
          <button type="button" aria-pressed={view.isOpen} onClick={toggle}>
            importance of keys
          </button>
        </div>
      </header>
      {view.isOpen && <ImportanceCard {...props} />}
    </section>
  );
}
