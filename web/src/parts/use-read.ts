import { useEffect, useState } from "preact/hooks";
import { pause } from "./pause.ts";
import { messageOf } from "./words.ts";

export interface ReadResult<T> {
  found?: T;
  /** Why the data is missing, or may be old. */
  problem?: string;
}

const problemPauseMs = 5_000;

/**
 * The result of a read for these dependencies; results for others are not returned. With `everyMs`
 * it is read again while the page is visible, and failures are retried.
 */
export function useRead<T>(
  read: (stopped: AbortSignal) => Promise<T>,
  dependencies: readonly unknown[],
  everyMs?: number,
): ReadResult<T> {
  const key = JSON.stringify(dependencies);
  const [answer, setAnswer] = useState<ReadResult<T> & { key: string }>({ key });
  useEffect(() => {
    const stopped = new AbortController();
    const { signal } = stopped;
    const follow = async () => {
      while (!signal.aborted) {
        let pauseMs = everyMs;
        try {
          const found = await read(signal);
          if (!signal.aborted) setAnswer({ key, found });
        } catch (error) {
          if (signal.aborted) return;
          setAnswer((before) => ({
            ...(before.key === key ? before : { key }),
            problem: messageOf(error),
          }));
          pauseMs &&= problemPauseMs;
        }
        if (pauseMs === undefined) return;
        do await pause(pauseMs, signal);
        while (document.hidden && !signal.aborted);
      }
    };
    void follow();
    return () => stopped.abort();
  }, [key]);
  return answer.key === key ? answer : {};
}
