import { useEffect, useRef, useState } from "preact/hooks";
import { smoothKinds, type ChartView, type Smooth } from "../../chart/view.ts";
import { Choose } from "./choose.tsx";
import { amountText, positionOf, smoothAt, stopsOf } from "./smooth-stops.ts";

interface Props {
  view: ChartView;
  change: (part: Partial<ChartView>) => void;
}

const names: Record<Smooth["kind"], string> = {
  x: "by distance",
  ema: "by points, as TensorBoard",
  gauss: "Gaussian, by points",
};
const title =
  "By distance, lines of few and of many points are smoothed alike. The text below a chart says over how much.";

/** Milliseconds of rest after which the charts follow a moving slider. */
const restMs = 120;

/** The kind of smoothing, and a slider for its amount. */
export function Smoothing({ view: { smooth }, change }: Props) {
  const [chosen, setChosen] = useState<Smooth["kind"]>("x");
  const kind = smooth?.kind ?? chosen;
  const [draft, setDraft] = useState<number>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const position = draft ?? positionOf(smooth);
  const shown = draft === undefined ? smooth : smoothAt(kind, draft);
  const show = (at: number) => {
    clearTimeout(timer.current);
    setDraft(undefined);
    // A typed amount may lie between two stops.
    if (at !== positionOf(smooth)) change({ smooth: smoothAt(kind, at) });
  };
  const move = (at: number) => {
    clearTimeout(timer.current);
    setChosen(kind);
    setDraft(at);
    timer.current = setTimeout(() => show(at), restMs);
  };
  const choose = (text: string) => {
    const other = smoothKinds.find((one) => one === text)!;
    setChosen(other);
    if (smooth !== undefined) change({ smooth: smoothAt(other, positionOf(smooth)) });
  };
  return (
    <span class="smoothing">
      <Choose
        label="smooth"
        title={title}
        value={kind}
        options={smoothKinds.map((one) => [one, names[one]])}
        onChoose={choose}
      />
      <input
        type="range"
        aria-label="amount of smoothing"
        aria-valuetext={amountText(shown)}
        min={0}
        max={stopsOf(kind).length}
        value={position}
        onInput={(event) => move(event.currentTarget.valueAsNumber)}
        onChange={(event) => show(event.currentTarget.valueAsNumber)}
      />
      <span aria-hidden="true">{amountText(shown)}</span>
    </span>
  );
}
