import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { persistently } from "./persistently.ts";
import { messageOf } from "./words.ts";

export interface Answer<T> {
  /** Undefined before the first answer. */
  found: T | undefined;
  problem: string | undefined;
  /** Reads again after a change. */
  again: () => Promise<void>;
}

/**
 * Data of the service that a page shows: read until it succeeds, and again when the tab becomes
 * visible, since other people change it too.
 */
export function useAnswer<T>(
  read: (stopped: AbortSignal) => Promise<T>,
  dependencies: readonly unknown[],
): Answer<T> {
  const [found, setFound] = useState<T>();
  const [problem, setProblem] = useState<string>();
  const wanted = useCallback(read, dependencies);
  const latest = useRef(wanted);
  latest.current = wanted;
  const again = useCallback(async () => {
    // An answer for earlier dependencies is dropped.
    const isLate = () => latest.current !== wanted;
    try {
      const next = await wanted(new AbortController().signal);
      if (isLate()) return;
      setFound(() => next);
      setProblem(undefined);
    } catch (error) {
      if (!isLate()) setProblem(messageOf(error));
    }
  }, [wanted]);
  useEffect(() => {
    const stopped = new AbortController();
    const { signal } = stopped;
    void persistently(wanted, signal, setProblem).then((first) => {
      if (signal.aborted) return;
      setFound(() => first);
      setProblem(undefined);
    });
    const look = () => document.visibilityState === "visible" && void again();
    document.addEventListener("visibilitychange", look, { signal });
    return () => stopped.abort();
  }, [wanted, again]);
  return { found, problem, again };
}
