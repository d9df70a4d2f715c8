import type { SavedView } from "@lossless/client";
import { useEffect, useState } from "preact/hooks";
import { persistently } from "../parts/persistently.ts";
import type { Service } from "../signed-in.ts";

/** The saved views of a page, one's own and the organization's; read again after each change. */
export function useSavedViews(service: Service) {
  const [views, setViews] = useState<readonly SavedView[]>([]);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const stopped = new AbortController();
    const read = async () => {
      const found = await persistently(
        (signal) => service.client.savedViews.list(signal),
        stopped.signal,
      );
      if (found !== undefined) setViews(found);
    };
    void read();
    return () => stopped.abort();
  }, [service, round]);
  return { views, readAgain: () => setRound((count) => count + 1) };
}
