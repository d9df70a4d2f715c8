import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { messageOf } from "../parts/words.ts";
import type { Service } from "../signed-in.ts";
import { NearestItems, type SeriesItems, type ShownMedia } from "./nearest-items.ts";

/** Milliseconds after which a failed read is repeated. */
const problemPauseMs = 3_000;

/** The items of the shown series, by key of series. */
export function useNearest({ client }: Service, shown: ShownMedia) {
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
      ),
    [client],
  );
  useEffect(() => () => items.stop(), [items]);
  useEffect(() => items.show(latest.current), [items, JSON.stringify(shown)]);
  useEffect(() => {
    if (read.problem === undefined) return;
    const timer = setTimeout(() => items.show(latest.current), problemPauseMs);
    return () => clearTimeout(timer);
  }, [read]);
  return read;
}
