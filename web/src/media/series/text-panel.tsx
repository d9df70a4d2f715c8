import type { LoggedTextsReply } from "@lossless/client";
import { useMemo } from "preact/hooks";
import { kindsOf, type Kind } from "../../chart/lines/colours.ts";
import { margin } from "../../chart/axes/margins.ts";
import { useWidth } from "../../pages/compare/relations/use-width.ts";
import { countedText, countText } from "../../parts/words.ts";
import { metadataText } from "../logged-series.ts";
import { RunName } from "../run-name.tsx";
import type { SeriesPanelProps } from "./histogram-panel.tsx";
import { placeOn, type StepAxis, stepOn, stepTicks } from "./step-axis.ts";
import { HeldText } from "./held-text.tsx";
import { axisOfLanes, type Segment, segmentsOf, type TextState } from "./text-segments.ts";
import { useTexts } from "./use-maps.ts";

type Lane = LoggedTextsReply["lanes"][number];

/** Pixels of a segment at least, and of one that has room for its text. */
const [segmentPixels, textPixels] = [3, 28];
/** Lanes drawn at most. */
const lanesMax = 24;

/** A text over steps: a lane for each experiment, with the part of the axis of each text. */
export function TextLanes(props: SeriesPanelProps) {
  const { service, experiments, range, step, onStep, isNear } = props;
  const { element, width } = useWidth();
  const plotWidth = Math.max(1, width - margin.left - margin.right);
  const ids = experiments.map(({ experimentId }) => experimentId);
  const { found, problem } = useTexts(service, { ...props, ids });
  const lanes = (found?.lanes ?? []).filter(({ states }) => states.length > 0);
  const axis = useMemo(
    () => range ?? (lanes.length > 0 ? axisOfLanes(lanes) : undefined),
    [found, range],
  );
  const kinds = useMemo(
    () => kindsOf(lanes.flatMap(({ states }) => states.map(({ text }) => text))),
    [found],
  );
  return (
    <div class="text-lanes" ref={element}>
      {problem !== undefined && <p role="alert">{problem}</p>}
      {axis !== undefined &&
        lanes.slice(0, lanesMax).map((lane) => (
          <div key={`${lane.experimentId} ${metadataText(lane.metadata)}`}>
            <RunName experiments={experiments} {...lane} />
            <TextLane
              {...{ lane, axis, kinds, step, onStep }}
              name={props.name}
              width={plotWidth}
            />
          </div>
        ))}
      {axis !== undefined && lanes.length > 0 && <StepLabels axis={axis} width={plotWidth} />}
      {isNear && (
        <div class="runs" data-kind="text">
          {lanes.slice(0, lanesMax).map((lane) => (
            <HeldText
              key={`${lane.experimentId} ${metadataText(lane.metadata)}`}
              {...{ service, experiments, name: props.name, lane, step }}
            />
          ))}
        </div>
      )}
      {lanes.length > lanesMax && (
        <p class="count">
          The first {lanesMax} of {countText(lanes.length)} lanes are drawn.
        </p>
      )}
      {found?.end != null && (
        <p class="count">Drawn up to step {countText(found.end)}; zoom to see what follows.</p>
      )}
    </div>
  );
}

interface TextLaneProps {
  lane: Lane;
  axis: StepAxis;
  kinds: ReadonlyMap<string, Kind>;
  width: number;
  name: string;
  step: number | undefined;
  onStep: (step: number) => void;
}

/** A click goes to the step there; the slider does the same from the keyboard. */
function TextLane({ lane: { states }, axis, kinds, width, name, step, onStep }: TextLaneProps) {
  const segments = useMemo(
    () => segmentsOf(states, axis, segmentPixels / width),
    [states, axis, width],
  );
  const go = ({ clientX, currentTarget }: MouseEvent) => {
    const { left } = (currentTarget as HTMLElement).getBoundingClientRect();
    onStep(Math.round(stepOn(axis, (clientX - left) / width)));
  };
  const place = step === undefined ? undefined : placeOn(axis, step);
  return (
    <div
      class="text-lane"
      role="img"
      aria-label={`${name}: ${sentenceOf(states)}`}
      style={{ marginLeft: `${margin.left}px`, width: `${width}px` }}
      onClick={go}
    >
      {segments.map((segment) => (
        <span
          key={segment.states[0].step}
          class={classOf(segment, kinds)}
          title={titleOf(segment)}
          style={{
            left: `${segment.left * width}px`,
            width: `${Math.max(1, (segment.right - segment.left) * width - 1)}px`,
          }}
        >
          {(segment.right - segment.left) * width >= textPixels && <b>{wordsOf(segment)}</b>}
        </span>
      ))}
      {place !== undefined && place >= 0 && place <= 1 && (
        <i class="step" style={{ left: `${place * width}px` }} />
      )}
    </div>
  );
}

function StepLabels({ axis, width }: { axis: StepAxis; width: number }) {
  return (
    <svg
      class="step-labels"
      width={width + margin.left + margin.right}
      height={18}
      aria-hidden="true"
    >
      {stepTicks(axis).map(({ place, text }) => (
        <text key={place} x={margin.left + place * width} y={13} text-anchor="middle">
          {text}
        </text>
      ))}
    </svg>
  );
}

function classOf({ states }: Segment, kinds: ReadonlyMap<string, Kind>): string {
  return states.length > 1 ? "several" : `line-${kinds.get(states[0].text)!.colour}`;
}

function wordsOf({ states }: Segment): string {
  return states.length > 1 ? countedText(states.length, "text") : firstLine(states[0].text);
}

function titleOf({ states }: Segment): string {
  const [first] = states;
  const from = `from step ${countText(first.step)}`;
  return states.length > 1
    ? `${countedText(states.length, "text")} ${from}`
    : `${first.text} ${from}`;
}

/** Texts named in a sentence at most. */
const toldMax = 5;

function sentenceOf(states: readonly TextState[]): string {
  const told = states
    .slice(0, toldMax)
    .map(({ text, step }) => `${firstLine(text)} from step ${countText(step)}`);
  const rest = states.length - toldMax;
  return [...told, ...(rest > 0 ? [`and ${countText(rest)} more`] : [])].join(", ");
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0].slice(0, 100);
}
