import type { LoggedTextsReply } from "@lossless/client";
import { placeOn, type StepAxis } from "./step-axis.ts";

export type TextState = LoggedTextsReply["lanes"][number]["states"][number];

/** A part of a lane: a text that holds, or several that are too short to be told apart. */
export interface Segment {
  /** From 0 to 1. */
  left: number;
  right: number;
  states: readonly TextState[];
}

/** Share of the axis that the last text has at least: nobody knows how long it holds. */
const openShare = 0.06;

/** An axis for lanes of texts, with room for the last one. */
export function axisOfLanes(lanes: LoggedTextsReply["lanes"]): StepAxis {
  const steps = lanes.flatMap(({ states }) => [states[0].step, states.at(-1)!.step]);
  const [start, end] = [Math.min(...steps), Math.max(...steps)];
  return { start, end: end + Math.max(1, ((end - start) * openShare) / (1 - openShare)) };
}

/** The text that holds at a step; undefined: none has begun. */
export function stateAt(states: readonly TextState[], step: number): TextState | undefined {
  return states.findLast((state) => state.step <= step);
}

/** The segments of a lane; those narrower than `least` are one with their neighbours. */
export function segmentsOf(states: readonly TextState[], axis: StepAxis, least: number): Segment[] {
  const segments: (Segment & { states: TextState[] })[] = [];
  for (const [at, state] of states.entries()) {
    const end = state.endStep ?? states[at + 1]?.step ?? axis.end;
    const left = Math.max(0, placeOn(axis, state.step));
    const right = Math.min(1, placeOn(axis, end));
    if (right < 0 || left > 1 || right < left) continue;
    const last = segments.at(-1);
    const isAfterNarrow =
      last !== undefined && (last.states.length > 1 || last.right - last.left < least);
    if (isAfterNarrow && right - left < least) {
      last.states.push(state);
      last.right = Math.max(last.right, right);
    } else segments.push({ left, right, states: [state] });
  }
  return segments;
}
