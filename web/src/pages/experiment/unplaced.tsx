import { countedText } from "../../parts/words.ts";

/** Mentions marks without a place on the axis of steps, which were not looked up. */
export function Unplaced({ count }: { count: number }) {
  return count === 0 ? null : <p class="count">{unplacedText(count)}.</p>;
}

export function unplacedText(count: number): string {
  const older = countedText(count, "older annotation");
  return `${older} without a step: shown only when the x axis is time`;
}
