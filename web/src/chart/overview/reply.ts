import { useEffect, useRef, useState } from "preact/hooks";
import { persistently } from "../../parts/persistently.ts";
import { restAfter } from "./rest.ts";

export interface ReplyState<Request, Reply> {
  reply?: Reply;
  /** The request that the reply answers. */
  request?: Request;
  /** Whether it answers the request; else it is the previous one's, until the reply arrives. */
  isCurrent: boolean;
  problem?: string;
}

/**
 * Follows the reply to a request of a chart; without one nothing is requested or kept, as a page
 * may have thousands of charts. A new revision waits for the pending reply: a running experiment
 * may change faster than a large series is reduced. `read` has to be the same function at each
 * call.
 */
export function useReply<Request, Reply>(
  read: (request: Request, signal: AbortSignal) => Promise<Reply>,
  request: Request | undefined,
  revision: string,
): ReplyState<Request, Reply> {
  const [answer, setAnswer] = useState<
    Omit<ReplyState<Request, Reply>, "isCurrent"> & { asked?: string }
  >({});
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
      const readLatest = () => {
        wanted = `${latest.current} ${asked}`;
        startedMs = performance.now();
        return read(request, stopped.signal);
      };
      const reply = await persistently(readLatest, stopped.signal, (problem) =>
        setAnswer((before) => ({ ...before, problem })),
      );
      if (reply === undefined) return;
      setAnswer({ reply, request, asked });
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
  }, [read, asked]);
  useEffect(() => wake.current(), [revision]);
  return { ...answer, isCurrent: answer.asked === asked };
}
