import { useEffect, useState } from "preact/hooks";
import { persistently } from "../../parts/persistently.ts";
import type * as groups from "./groups.ts";

export type GroupsPart = typeof groups;

export function loadGroups(): Promise<GroupsPart> {
  return import("./groups.ts");
}

/** The script of groups, which is loaded with the first of them. */
export function useGroupsPart(isNeeded: boolean): GroupsPart | undefined {
  const [part, setPart] = useState<GroupsPart>();
  useEffect(() => {
    if (!isNeeded) return;
    const stopped = new AbortController();
    void persistently(loadGroups, stopped.signal).then((loaded) => loaded && setPart(loaded));
    return () => stopped.abort();
  }, [isNeeded]);
  return isNeeded ? part : undefined;
}
