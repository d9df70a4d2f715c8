import { useState } from "preact/hooks";
import type { ChartView } from "../../chart/view.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Labelled } from "../../parts/labelled.tsx";
import { SaveForm } from "../../parts/save-form.tsx";
import { exactChange, exactFields, exampleOfX, type ExactFields } from "./exact-fields.ts";

interface Props {
  view: ChartView;
  change: (part: Partial<ChartView>) => void;
}

/**
 * Fields for exact values of what dragging and lists choose: ranges of both axes, and any
 * smoothing.
 */
export function ExactValues(props: Props) {
  const [isShown, setIsShown] = useState(false);
  return (
    <>
      <button
        type="button"
        title="Enter ranges and smoothing as numbers"
        onClick={() => setIsShown(true)}
      >
        exact…
      </button>
      {isShown && <ExactDialog {...props} onClose={() => setIsShown(false)} />}
    </>
  );
}

function ExactDialog({ view, change, onClose }: Props & { onClose: () => void }) {
  const [fields, setFields] = useState(() => exactFields(view));
  const save = async () => {
    change(exactChange(view, fields));
    onClose();
  };
  const text = (label: string, name: Exclude<keyof ExactFields, "smoothing">, example: string) => (
    <Labelled label={label}>
      <input
        class="short"
        value={fields[name]}
        placeholder={example}
        onInput={(event) => setFields({ ...fields, [name]: event.currentTarget.value })}
      />
    </Labelled>
  );
  return (
    <Dialog title="Ranges and smoothing" onClose={onClose}>
      <SaveForm action="Show" save={save}>
        {text("x from", "xFrom", exampleOfX(view))}
        {text("x to", "xTo", exampleOfX(view))}
        {text("y from", "yFrom", "0.001")}
        {text("y to", "yTo", "10")}
        <Labelled label="Smoothing">
          <select
            value={fields.smoothing}
            onChange={(event) => {
              const smoothing = event.currentTarget.value as ExactFields["smoothing"];
              setFields({ ...fields, smoothing });
            }}
          >
            <option value="">none</option>
            <option value="x">by distance, by the weight a thousandth of x back</option>
            <option value="ema">moving average, by the weight of earlier points</option>
            <option value="gauss">Gaussian, by the points on each side</option>
          </select>
        </Labelled>
        {fields.smoothing !== "" &&
          text("Amount", "amount", fields.smoothing === "gauss" ? "50" : "0.95")}
        <p class="hint">
          Leave both fields of an axis empty to show all of it. The values apply to all charts of
          the page.
        </p>
      </SaveForm>
    </Dialog>
  );
}
