import type { QueryError } from "@lossless/protocol/query-error";
import { useEffect, useState } from "preact/hooks";

/** Asks the service for existing fields that an unknown name may mean. */
export type AskNear = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Describes an error in a query. For an unknown name the language can only guess a field; the
 * service knows the existing ones.
 */
export function useErrorText(error: QueryError | undefined, askNear: AskNear): string {
  const unknown = error?.unknownName;
  const [known, setKnown] = useState<{ unknown: string; near: readonly string[] }>();
  useEffect(() => {
    if (unknown === undefined) return;
    const stopped = new AbortController();
    const look = async () => {
      const near = await askNear(unknown, stopped.signal);
      if (!stopped.signal.aborted) setKnown({ unknown, near });
    };
    // Without a reply there are no suggestions.
    look().catch(() => undefined);
    return () => stopped.abort();
  }, [unknown, askNear]);
  if (error === undefined || unknown === undefined) return error?.message ?? "";
  return error.messageWith(known?.unknown === unknown ? known.near : []);
}
