import type { ChartView } from "../../chart/view.ts";
import type { PageLocation } from "../../location.ts";
import { countText } from "../../parts/words.ts";

interface Props {
  names: readonly string[];
  view: ChartView;
  change: (part: Partial<ChartView>) => void;
  location: PageLocation;
}

/** What all charts of the page have in common. */
export function Toolbar({ names, view, change, location }: Props) {
  return (
    <div class="query">
      <input
        type="search"
        aria-label="Search series"
        placeholder={`Search ${countText(names.length)} series`}
        value={location.parameter("m") ?? ""}
        onInput={(event) => location.change({ m: event.currentTarget.value })}
      />
      <span class="choices">
        <button
          type="button"
          aria-pressed={view.x.kind === "time"}
          onClick={() =>
            change({ x: { kind: view.x.kind === "time" ? "step" : "time" }, range: undefined })
          }
        >
          time axis
        </button>
        <button
          type="button"
          aria-pressed={view.y === "log"}
          onClick={() => change({ y: view.y === "log" ? "linear" : "log" })}
        >
          log
        </button>
        {view.range !== undefined && (
          <button type="button" onClick={() => change({ range: undefined })}>
            whole range
          </button>
        )}
      </span>
    </div>
  );
}
