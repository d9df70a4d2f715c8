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

/**
 * A value of a line; in a list a sign says that it is the last finite one. The range behind a value
 * is an element of its own: without room for all of it, it goes as a whole.
 */
export function ValueTold({ overview, reading, place, digits, isOfList }: Props) {
  const isSigned = isOfList && reading.isLastFinite;
  const { isLastFinite: _, ...value } = reading;
  const text = readingText(overview, isSigned ? value : reading, place, digits);
  const at = text.indexOf(" (");
  const told = "last finite value: values that are not finite follow, or may follow";
  return (
    <>
      <span class="told">
        {at < 0 ? text : text.slice(0, at)}
        {isSigned && (
          <>
            {" "}
            <span class="not-finite" role="img" aria-label="last finite value" title={told}>
              {lastFiniteSign}
            </span>
          </>
        )}
      </span>
      {at >= 0 && " "}
      {at >= 0 && <span class="range">{text.slice(at + 1)}</span>}
    </>
  );
}
