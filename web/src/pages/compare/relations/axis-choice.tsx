import { useCallback, useState } from "preact/hooks";
import type { Service } from "../../../signed-in.ts";
import { ColumnPicker } from "../../experiments/column-picker.tsx";
import type { AskFields } from "../../../query/use-completions.ts";
import { titleOf } from "./plotted.ts";
import { axesMax, type RelationsView } from "./relations-view.ts";

interface Props {
  service: Service;
  view: RelationsView;
  change: (changed: Partial<RelationsView>) => void;
  /** All possible axes, and the present ones. */
  fields: readonly string[];
  chosen: readonly string[];
  /** The field that gives colours, if any. */
  colour: string | undefined;
  onPicture: () => void;
}

/** Chooses the fields to draw. */
export function AxisChoice(props: Props) {
  const { service, view, change, fields, chosen, colour, onPicture } = props;
  const [isPicking, setIsPicking] = useState(false);
  const ask = useCallback<AskFields>(
    (body, signal) => service.client.views.fields(body, signal),
    [service],
  );
  return (
    <div class="choices">
      <button type="button" onClick={() => setIsPicking(true)}>
        axes…
      </button>
      {view.plot === "scatter" &&
        (["x", "y"] as const).map((name, at) => (
          <label key={name}>
            {name}{" "}
            <select
              value={chosen[at]}
              onChange={(event) => change({ [name]: event.currentTarget.value })}
            >
              {fields.map((field) => (
                <option key={field} value={field}>
                  {titleOf(field)}
                </option>
              ))}
            </select>
          </label>
        ))}
      <label>
        colour{" "}
        <select
          value={colour ?? ""}
          onChange={(event) => change({ colour: event.currentTarget.value })}
        >
          <option value="">each experiment's own</option>
          {[...new Set([...fields, ...(colour === undefined ? [] : [colour])])].map((field) => (
            <option key={field} value={field}>
              {titleOf(field)}
            </option>
          ))}
        </select>
      </label>
      <button type="button" onClick={onPicture}>
        picture as PNG or SVG…
      </button>
      {isPicking && (
        <ColumnPicker
          title={`Choose up to ${axesMax} axes`}
          columns={fields}
          ask={ask}
          onChange={(axes) => change({ axes: axes.slice(0, axesMax) })}
          onReset={() => change({ axes: undefined })}
          onClose={() => setIsPicking(false)}
        />
      )}
    </div>
  );
}
