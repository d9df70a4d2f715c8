import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { persistently } from "./persistently.ts";
import { messageOf } from "./words.ts";

export interface Answer<T> {
  /** Undefined before the first answer. */
  found: T | undefined;
  problem: string | undefined;
  /** After something was changed. */
  again: () => Promise<void>;
}

/**
 * What a page shows of the service: read until it is there, and again when the tab is looked at
 * after a while, since other people change it too.
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
    // What was read for other dependencies is nobody's answer any more.
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
