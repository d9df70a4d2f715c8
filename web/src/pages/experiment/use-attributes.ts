import type { AttributesResultData } from "@lossless/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { pause } from "../../parts/pause.ts";
import { persistently } from "../../parts/persistently.ts";
import type { Service } from "../../signed-in.ts";

/** Milliseconds between reads of attributes while points arrive. */
const restMs = 5_000;

export interface Attributes {
  /** Undefined: not read yet. */
  found: AttributesResultData | undefined;
  /** The revision at which they were read. */
  revision: number;
  /** Whether a first read has ended, successfully or not. */
  isAsked: boolean;
}

/**
 * The attributes that MLflow's clients wrote to an experiment: read once its revision is known, and
 * again when it changes.
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
    // The page works without them, too.
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
