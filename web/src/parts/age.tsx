import { durationText, timeText } from "./words.ts";

/** Added to the rest of a period, so that 30 days do not read as 29 a second later. */
const soonMs = 60_000;

/** The age of a moment, with the moment itself as its title. */
export function Age({ at, never = "never" }: { at: string | null; never?: string }) {
  if (at === null) return <span class="soft">{never}</span>;
  const ms = Date.parse(at);
  const ago = Date.now() - ms;
  return (
    <time dateTime={at} title={timeText(ms)}>
      {ago < 60_000 && ago > -60_000
        ? "just now"
        : ago > 0
          ? `${durationText(ago)} ago`
          : `in ${durationText(soonMs - ago)}`}
    </time>
  );
}
