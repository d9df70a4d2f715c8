import { numberTicks } from "../../pages/compare/relations/axis.ts";
import { countText } from "../../parts/words.ts";

/** A linear axis of steps, from 0 at its left to 1. */
export interface StepAxis {
  start: number;
  end: number;
}

export function placeOn({ start, end }: StepAxis, step: number): number {
  return (step - start) / (end - start || 1);
}

export function stepOn({ start, end }: StepAxis, place: number): number {
  return start + (end - start) * Math.min(1, Math.max(0, place));
}

export function stepTicks({ start, end }: StepAxis): { place: number; text: string }[] {
  const steps = end > start ? numberTicks(start, end, false) : [start];
  const whole = [...new Set(steps.map(Math.round))];
  return whole.map((step) => ({ place: placeOn({ start, end }, step), text: countText(step) }));
}
