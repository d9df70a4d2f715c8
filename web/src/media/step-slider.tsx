import { TypedNumber } from "../parts/typed-number.tsx";
import { countText } from "../parts/words.ts";
import type { Logged } from "./use-logged.ts";
import { nearestPlace } from "./steps.ts";

interface Props extends Pick<Logged, "steps" | "stepsFound" | "isMinimum"> {
  /** Undefined: the newest. */
  step: number | undefined;
  /** `isLast`: the choice is made, and may go into the address. */
  onStep: (step: number | undefined, isLast: boolean) => void;
  onMove: (direction: 1 | -1) => void;
  /** Called when the slider loses the focus. */
  onLeave: () => void;
}

/** The step of all panels: a slider over the steps that exist, and a field for any step. */
export function StepSlider({ steps, stepsFound, isMinimum, step, ...props }: Props) {
  const { onStep, onMove, onLeave } = props;
  if (steps.length === 0) return null;
  const last = steps.length - 1;
  const at = step === undefined ? last : nearestPlace(steps, step);
  const shown = step ?? steps[last];
  const isPart = stepsFound > steps.length || isMinimum;
  if (steps.length === 1 && !isPart && (step === undefined || step === steps[0]))
    return <p class="count">All of it is of step {countText(steps[0])}.</p>;
  return (
    <div class="step-slider" role="group" aria-label="Step of the media" onFocusOut={onLeave}>
      <button
        type="button"
        aria-label="Previous step"
        aria-keyshortcuts=","
        onClick={() => onMove(-1)}
      >
        ‹
      </button>
      <input
        type="range"
        min={0}
        max={last}
        value={at}
        aria-label="Step"
        aria-valuetext={`step ${countText(shown)}`}
        onInput={({ currentTarget }) => onStep(steps[Number(currentTarget.value)], false)}
        onChange={({ currentTarget }) => onStep(steps[Number(currentTarget.value)], true)}
      />
      <button type="button" aria-label="Next step" aria-keyshortcuts="." onClick={() => onMove(1)}>
        ›
      </button>
      <label>
        step{" "}
        <TypedNumber
          value={shown}
          min={0}
          onType={(given) => given !== undefined && onStep(given, true)}
        />
      </label>
      <button
        type="button"
        aria-pressed={step === undefined}
        title="Show the newest step, and follow new ones"
        onClick={() => onStep(undefined, true)}
      >
        newest
      </button>
      <span class="count">
        {isPart
          ? `${countText(steps.length)} of ${countText(stepsFound)}${isMinimum ? "+" : ""} steps; type any step into the field`
          : `${countText(stepsFound)} ${stepsFound === 1 ? "step" : "steps"}`}
      </span>
    </div>
  );
}
