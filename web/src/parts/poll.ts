import { useEffect } from "preact/hooks";

/**
 * Calls `look` now, and again so many milliseconds after its end as it says, for as long as the
 * page is shown. A hidden tab asks nothing; one that is shown again asks at once.
 */
export function usePoll(
  look: (signal: AbortSignal) => Promise<number>,
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
      const pauseMs = await look(stopped.signal).catch(() => afterDefectMs);
      isLooking = false;
      if (!stopped.signal.aborted) timer = setTimeout(() => void round(), pauseMs);
    };
    const shown = (): void => void round();
    document.addEventListener("visibilitychange", shown);
    void round();
    return () => {
      stopped.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", shown);
    };
  }, dependencies);
}

const afterDefectMs = 15_000;
