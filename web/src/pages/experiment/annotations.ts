import type { AnnotationsResultData } from "@lossless/client";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Service } from "../../signed-in.ts";

/** They are read whole: the more there are, the more rarely while an experiment changes. */
const lookEveryMs = 1_000;
const moreMsEach = 0.5;
const problemPauseMs = 10_000;

export interface Annotations {
  found?: AnnotationsResultData;
  problem?: string;
}

/** The annotations of an experiment, read again when its revision is another. */
export function useAnnotations(service: Service, id: string, revision: number): Annotations {
  const [answer, setAnswer] = useState<Annotations>({});
  const latest = useRef(revision);
  latest.current = revision;
  useEffect(() => {
    const stopped = new AbortController();
    let readRevision = -1;
    let nextAtMs = 0;
    const look = async (): Promise<void> => {
      const wanted = latest.current;
      if (wanted === readRevision || Date.now() < nextAtMs || document.hidden) return;
      nextAtMs = Infinity;
      try {
        const found = await service.client.annotations({ experimentId: id }, stopped.signal);
        // The same ones stay the same object, so that nothing else is read or drawn for them.
        setAnswer(({ found: before }) => ({
          found: before !== undefined && areSame(before, found) ? before : found,
        }));
        readRevision = wanted;
        nextAtMs = Date.now() + moreMsEach * found.annotations.length;
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        if (!stopped.signal.aborted) setAnswer((before) => ({ ...before, problem }));
        nextAtMs = Date.now() + problemPauseMs;
      }
    };
    void look();
    const timer = setInterval(() => void look(), lookEveryMs);
    return () => (clearInterval(timer), stopped.abort());
  }, [service, id]);
  return answer;
}

/** They are only ever added, the newest first. */
function areSame(before: AnnotationsResultData, found: AnnotationsResultData): boolean {
  const [one, other] = [before.annotations, found.annotations];
  return one.length === other.length && one[0]?.annotationId === other[0]?.annotationId;
}
