import type { OverviewBody, OverviewReply } from "@lossless/client";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Service } from "../signed-in.ts";

export interface Answer {
  overview?: OverviewReply;
  /** Whether it is that of the question; else that of one before, until the answer comes. */
  isCurrent: boolean;
  problem?: string;
}

/**
 * What a chart is drawn from; undefined asks nothing and keeps nothing, for a page may have
 * thousands. While an answer is on its way another revision waits for it: a running experiment may
 * change faster than a large series is reduced.
 */
export function useOverview(
  service: Service,
  question: OverviewBody | undefined,
  revision: number,
): Answer {
  const [answer, setAnswer] = useState<Omit<Answer, "isCurrent"> & { asked?: string }>({});
  const latest = useRef(revision);
  const answered = useRef<string>("");
  const wake = useRef<() => void>(() => undefined);
  latest.current = revision;
  const asked = question === undefined ? "" : JSON.stringify(question);
  useEffect(() => {
    if (question === undefined) {
      answered.current = "";
      setAnswer({});
      return;
    }
    const stopped = new AbortController();
    let isAsking = false;
    const ask = async (): Promise<void> => {
      if (isAsking) return;
      isAsking = true;
      for (;;) {
        const wanted = `${latest.current} ${asked}`;
        if (stopped.signal.aborted || answered.current === wanted) break;
        try {
          const overview = await service.client.views.overview(question, stopped.signal);
          if (!stopped.signal.aborted) setAnswer({ overview, asked });
        } catch (error) {
          if (stopped.signal.aborted) break;
          const problem = error instanceof Error ? error.message : String(error);
          setAnswer((before) => ({ ...before, problem }));
        }
        // What failed is asked again with the next revision.
        answered.current = wanted;
      }
      isAsking = false;
    };
    wake.current = () => void ask();
    void ask();
    return () => {
      stopped.abort();
      wake.current = () => undefined;
    };
  }, [service, asked]);
  useEffect(() => wake.current(), [revision]);
  return { ...answer, isCurrent: answer.asked === asked };
}
