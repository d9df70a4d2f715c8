import { Loaded } from "../parts/loaded.tsx";
import { countText, fromBeforeText } from "../parts/words.ts";
import type { MediaSectionProps } from "./media-section.tsx";
import type { Logged } from "./use-logged.ts";

interface Props extends Omit<MediaSectionProps, "logged"> {
  logged: Logged | undefined;
}

/**
 * The media of a page, below a heading of their own; nothing where none were logged. Its script is
 * loaded when it is first shown. Whether it is closed is in the address.
 */
export function MediaPart({ logged, location, ...rest }: Props) {
  const isOpen = location.parameter("media") !== "closed";
  if (logged === undefined) return null;
  const missing = logged.isBehind && (
    <p class="count" role="status">
      {fromBeforeText}: media may be missing
    </p>
  );
  if (logged.series.length === 0) return missing || null;
  return (
    <details
      class="media-part"
      id="media"
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => {
        if (open !== isOpen) location.change({ media: open ? undefined : "closed" });
      }}
    >
      <summary>
        media <span class="count">{countText(logged.found)}</span>
      </summary>
      {missing}
      {isOpen && <Loaded load={loadSection} props={{ ...rest, location, logged }} />}
    </details>
  );
}

/** Loads the script of the panels. */
export const loadSection = () =>
  import("./media-section.tsx").then(({ MediaSection }) => MediaSection);
