import { timeText } from "../../parts/words.ts";
import type { TickTexts } from "./tick-texts.ts";

/** Texts of moments: days, days with times, or times, as needed. */
export function momentTexts(moments: readonly number[]): TickTexts {
  const days = moments.map((ms) => timeText(ms).slice(0, 10));
  const clocks = moments.map((ms) => timeText(ms).slice(11));
  const isApart = (texts: readonly string[]) => new Set(texts).size === texts.length;
  if (isApart(days)) return { texts: days, note: "" };
  if (days.some((day) => day !== days[0]))
    return { texts: days.map((day, at) => `${day.slice(5)} ${clocks[at].slice(0, 5)}`), note: "" };
  const [note] = days;
  if (isApart(clocks)) return { texts: clocks, note };
  const parts = moments.map((ms) => String(new Date(ms).getMilliseconds()).padStart(3, "0"));
  return { texts: clocks.map((clock, at) => `${clock}.${parts[at]}`), note };
}
