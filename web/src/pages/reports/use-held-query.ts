import { readQuery } from "@lossless/protocol/query-language";
import { useEffect, useState } from "preact/hooks";

/**
 * The last query that can be read, once nobody has typed for a while. A query that could not be read from the
 * beginning is itself returned, so that the block says what is wrong.
 */
export function useHeldQuery(query: string, pauseMs: number): string {
  const [held, setHeld] = useState(query);
  useEffect(() => {
    if (readQuery(query).error !== undefined) return;
    const timer = setTimeout(() => setHeld(query), pauseMs);
    return () => clearTimeout(timer);
  }, [query]);
  return held;
}
