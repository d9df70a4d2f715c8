import type { OverviewReply } from "@lossless/client";
import type { Reading } from "./reading.ts";
import { readingText } from "./reading-text.ts";

/** Stands in a list behind each last finite value, where words would take the room of names. */
export const lastFiniteSign = "▲";

interface Props {
  overview: OverviewReply;
  reading: Reading;
  /** The place that was told already. */
  place: string | undefined;
  digits: number;
  isOfList: boolean;
}

/** A value of a line; in a list a sign says that it is the last finite one. */
export function ValueTold({ overview, reading, place, digits, isOfList }: Props) {
  if (!isOfList || !reading.isLastFinite)
    return <>{readingText(overview, reading, place, digits)}</>;
  const { isLastFinite: _, ...value } = reading;
  const told = "last finite value: values that are not finite follow, or may follow";
  return (
    <>
      {readingText(overview, value, place, digits)}{" "}
      <span class="not-finite" role="img" aria-label="last finite value" title={told}>
        {lastFiniteSign}
      </span>
    </>
  );
}
