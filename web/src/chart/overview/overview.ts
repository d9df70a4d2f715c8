import type { OverviewBody, OverviewReply } from "@lossless/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { persistently } from "../../parts/persistently.ts";
import { readInParts } from "./parts.ts";
import { restAfter } from "./rest.ts";
import type { Service } from "../../signed-in.ts";

export interface OverviewState {
  overview?: OverviewReply;
  /** Whether it answers the request; else it is the previous one's, until the reply arrives. */
  isCurrent: boolean;
  problem?: string;
}

/**
 * Follows the overview of a chart; without one nothing is requested or kept, as a page may
 * have thousands of charts. A new revision waits for the pending reply: a running experiment may
 * change faster than a large series is reduced.
 */
export function useOverview(
  service: Service,
  request: OverviewBody | undefined,
  revision: string,
): OverviewState {
  const [answer, setAnswer] = useState<Omit<OverviewState, "isCurrent"> & { asked?: string }>({});
  const latest = useRef(revision);
  const answered = useRef<string>("");
  const wake = useRef<() => void>(() => undefined);
  latest.current = revision;
  const asked = request === undefined ? "" : JSON.stringify(request);
  useEffect(() => {
    if (request === undefined) {
      answered.current = "";
      setAnswer({});
      return;
    }
    const stopped = new AbortController();
    let isAsking = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (): Promise<void> => {
      if (isAsking || answered.current === `${latest.current} ${asked}`) return;
      isAsking = true;
      let wanted = "";
      let startedMs = 0;
      const read = () => {
        wanted = `${latest.current} ${asked}`;
        startedMs = performance.now();
        return readInParts((body) => service.client.views.overview(body, stopped.signal), request);
      };
      const overview = await persistently(read, stopped.signal, (problem) =>
        setAnswer((before) => ({ ...before, problem })),
      );
      if (overview === undefined) return;
      setAnswer({ overview, asked });
      answered.current = wanted;
      timer = setTimeout(
        () => {
          isAsking = false;
          void ask();
        },
        restAfter(performance.now() - startedMs),
      );
    };
    wake.current = () => void ask();
    void ask();
    return () => {
      stopped.abort();
      clearTimeout(timer);
      wake.current = () => undefined;
    };
  }, [service, asked]);
  useEffect(() => wake.current(), [revision]);
  return { ...answer, isCurrent: answer.asked === asked };
}
