import { countedText } from "../../parts/words.ts";

/** What has no place on the axis of steps, since nobody looked for it, is told. */
export function Unplaced({ count }: { count: number }) {
  return count === 0 ? null : <p class="count">{unplacedText(count)}.</p>;
}

export function unplacedText(count: number): string {
  const older = countedText(count, "older annotation");
  return `${older} without a step: below charts on the axes of time only`;
}
