import type { Signal } from "@preact/signals";
import { pause } from "../../../parts/pause.ts";
import { countText } from "../../../parts/words.ts";

/**
 * Shows all of a report, however far from the screen, and waits until it is read and decoded: for
 * paper, or for a file. Whoever calls it sets `whole` back. Throws the reason if stopped.
 */
export async function readWhole(
  page: Element,
  whole: Signal<boolean>,
  tell: (words: string) => void,
  stopped: AbortSignal,
): Promise<void> {
  whole.value = true;
  for (;;) {
    // The next frame draws all that is wanted, which may want more by itself.
    await pause(50, stopped);
    stopped.throwIfAborted();
    const waiting = page.querySelectorAll(unread).length;
    if (waiting === 0) break;
    const all = page.querySelectorAll(media).length;
    tell(
      all === 0
        ? "Loading the data of the charts …"
        : `Reading media: ${countText(Math.max(0, all - waiting))} of ${countText(all)} …`,
    );
  }
  const decoded = [...page.querySelectorAll("img")].map((picture) => picture.decode());
  await Promise.allSettled(decoded);
  stopped.throwIfAborted();
}

const media = ".picture, .media-table, .media-plot";
const unread = "[data-waiting], [data-block] > .waiting, .report-media [aria-busy=true]";
