import type { AnnotationsResultData } from "@lossless/client";
import { useRef, useState } from "preact/hooks";
import { usePoll } from "../../parts/poll.ts";
import type { Service } from "../../signed-in.ts";

/** They are read whole: the more there are, the more rarely while an experiment changes. */
const everyMs = 3_000;
const moreMsEach = 0.5;

export interface Annotations {
  found?: AnnotationsResultData;
  problem?: string;
}

/** The annotations of an experiment, read again when its revision is another. */
export function useAnnotations(service: Service, id: string, revision: number): Annotations {
  const [answer, setAnswer] = useState<Annotations>({});
  const latest = useRef(revision);
  const read = useRef({ revision: -1, everyMs });
  latest.current = revision;
  const look = async (signal: AbortSignal) => {
    const wanted = latest.current;
    if (read.current.revision === wanted) return read.current.everyMs;
    try {
      const found = await service.client.annotations({ experimentId: id }, signal);
      setAnswer({ found });
      const pauseMs = everyMs + moreMsEach * found.annotations.length;
      read.current = { revision: wanted, everyMs: pauseMs };
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (!signal.aborted) setAnswer((before) => ({ ...before, problem }));
    }
    return read.current.everyMs;
  };
  usePoll(look, [id]);
  return answer;
}
