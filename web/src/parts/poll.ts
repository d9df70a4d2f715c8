import { useEffect } from "preact/hooks";

/**
 * Calls `look` now and again `everyMs` after it has ended, for as long as the page is shown. A
 * hidden tab asks nothing; one that is shown again asks at once.
 */
export function usePoll(
  look: (signal: AbortSignal) => Promise<void>,
  everyMs: number,
  dependencies: readonly unknown[],
): void {
  useEffect(() => {
    const stopped = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isLooking = false;
    const round = async (): Promise<void> => {
      clearTimeout(timer);
      if (isLooking || document.hidden || stopped.signal.aborted) return;
      isLooking = true;
      await look(stopped.signal).catch(() => undefined);
      isLooking = false;
      if (!stopped.signal.aborted && Number.isFinite(everyMs)) {
        timer = setTimeout(() => void round(), everyMs);
      }
    };
    const shown = (): void => void round();
    document.addEventListener("visibilitychange", shown);
    void round();
    return () => {
      stopped.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", shown);
    };
  }, [...dependencies, everyMs]);
}
