import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { messageOf } from "../parts/words.ts";
import type { Service } from "../signed-in.ts";
import type { FirstItems } from "./first-items.ts";
import { NearestItems, type SeriesItems, type ShownMedia } from "./nearest-items.ts";

/** Milliseconds after which a failed read is repeated. */
const problemPauseMs = 3_000;

/** The items of the shown series, by key of series. */
export function useNearest({ client }: Service, shown: ShownMedia, first: FirstItems | undefined) {
  const [read, setRead] = useState<{
    known: ReadonlyMap<string, SeriesItems>;
    problem: string | undefined;
  }>({ known: new Map(), problem: undefined });
  const latest = useRef(shown);
  latest.current = shown;
  const items = useMemo(
    () =>
      new NearestItems(
        (body, stopped) => client.logged.nearest(body, stopped),
        (known, problem) =>
          setRead({ known, problem: problem === undefined ? undefined : messageOf(problem) }),
        first,
      ),
    [client],
  );
  useEffect(() => () => items.stop(), [items]);
  useLayoutEffect(() => items.show(latest.current), [items, JSON.stringify(shown)]);
  useEffect(() => {
    if (read.problem === undefined) return;
    const timer = setTimeout(() => items.show(latest.current), problemPauseMs);
    return () => clearTimeout(timer);
  }, [read]);
  return read;
}
