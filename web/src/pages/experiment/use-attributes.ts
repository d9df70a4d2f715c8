import type { AttributesResultData } from "@lossless/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { pause } from "../../parts/pause.ts";
import { persistently } from "../../parts/persistently.ts";
import type { Service } from "../../signed-in.ts";

/** While points come they are read more rarely than these are drawn. */
const restMs = 5_000;

export interface Attributes {
  /** Undefined: they were not read yet. */
  found: AttributesResultData | undefined;
  /** The revision at which they were read. */
  revision: number;
  /** Whether they are there, or could not be read at once. */
  isAsked: boolean;
}

/**
 * What MLflow's clients wrote beside an experiment: read when its revision is known, and again when
 * that is another one.
 */
export function useAttributes(
  service: Service,
  experimentId: string,
  revision: number | undefined,
): Attributes {
  const [attributes, setAttributes] = useState<Attributes>(nothing);
  const latest = useRef(revision);
  latest.current = revision;
  const isKnown = revision !== undefined;
  useEffect(() => {
    setAttributes(nothing);
    if (!isKnown) return;
    const stopped = new AbortController();
    // The page is there without them, too.
    const fail = () => setAttributes((before) => ({ ...before, isAsked: true }));
    const follow = async () => {
      let known: number | undefined;
      while (!stopped.signal.aborted) {
        const isFirst = known === undefined;
        if (isFirst || (latest.current !== known && !document.hidden)) {
          const asked = latest.current!;
          const read = (signal: AbortSignal) => service.client.attributes({ experimentId }, signal);
          const found = await persistently(read, stopped.signal, fail);
          if (found === undefined) return;
          known = asked;
          setAttributes({ found, revision: asked, isAsked: true });
        }
        await pause(restMs, stopped.signal);
      }
    };
    void follow();
    return () => stopped.abort();
  }, [service, experimentId, isKnown]);
  return attributes;
}

const nothing: Attributes = { found: undefined, revision: 0, isAsked: false };
