import type { NewAnnotationsReply } from "@lossless/client";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Service } from "../../signed-in.ts";
import { messageOf } from "../../parts/words.ts";

const lookEveryMs = 1_000;
const problemPauseMs = 10_000;

export interface Annotations {
  found?: Pick<NewAnnotationsReply, "annotations" | "truncated">;
  problem?: string;
}

/**
 * The annotations of an experiment; new ones are read when its revision changes. Those of media,
 * texts and histograms may be ten thousands, and only a list of annotations needs them.
 */
export function useAnnotations(
  service: Service,
  id: string,
  revision: number,
  withLogged = false,
): Annotations {
  const [answer, setAnswer] = useState<Annotations>({});
  const latest = useRef(revision);
  latest.current = revision;
  useEffect(() => {
    const stopped = new AbortController();
    let readRevision = -1;
    let nextAtMs = 0;
    let next: string | undefined;
    setAnswer({});
    const look = async (): Promise<void> => {
      const wanted = latest.current;
      if (wanted === readRevision || Date.now() < nextAtMs || document.hidden) return;
      nextAtMs = Infinity;
      try {
        const found = await service.client.views.annotations(
          id,
          next,
          stopped.signal,
          withLogged ? {} : { logged: "omit" },
        );
        next = found.next;
        setAnswer((before) => together(before, found));
        readRevision = wanted;
        nextAtMs = 0;
      } catch (error) {
        const problem = messageOf(error);
        if (!stopped.signal.aborted) setAnswer((before) => ({ ...before, problem }));
        nextAtMs = Date.now() + problemPauseMs;
      }
    };
    void look();
    const timer = setInterval(() => void look(), lookEveryMs);
    return () => (clearInterval(timer), stopped.abort());
  }, [service, id, withLogged]);
  return answer;
}

/** The same, with those of media once they are listed: then all are followed, listed or not. */
export function useListedAnnotations(
  service: Service,
  id: string,
  revision: number,
  isListed: boolean,
): Annotations {
  const wasListed = useRef(false);
  wasListed.current ||= isListed;
  return useAnnotations(service, id, revision, wasListed.current);
}

/** Returns the same object where nothing is new, so that nothing else is read or drawn. */
function together(
  before: Annotations,
  { annotations, truncated }: NewAnnotationsReply,
): Annotations {
  if (before.found === undefined || truncated) return { found: { annotations, truncated } };
  if (annotations.length === 0)
    return before.problem === undefined ? before : { found: before.found };
  const all = [...annotations, ...before.found.annotations];
  return { found: { annotations: all, truncated: before.found.truncated } };
}
