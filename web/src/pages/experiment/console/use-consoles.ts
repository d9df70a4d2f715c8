import { useEffect, useMemo, useRef } from "preact/hooks";
import { useChanges } from "../../../parts/use-changes.ts";
import type { Service } from "../../../signed-in.ts";
import { ConsoleLines, type LineChoice } from "./console-lines.ts";
import type { ConsoleView } from "./console-view.ts";
import { Search } from "./search.ts";

/** Columns at most: more have no room for words. */
export const panesMax = 8;

/** The content of the console tab: lines of one column or several, and a search. */
export interface Consoles {
  /** All wanted lines, which are the only column unless sources stand side by side. */
  main: ConsoleLines;
  panes: readonly ConsoleLines[];
  /** Undefined: nothing is searched. */
  search: Search | undefined;
}

/** Follows the console of an experiment. */
export function useConsoles(service: Service, experimentId: string, view: ConsoleView): Consoles {
  const { sources, streams, query } = view;
  const choice = JSON.stringify(choiceOf({ sources, streams }));
  const make = (chosen: LineChoice) =>
    new ConsoleLines(
      (body, signal) => service.client.console.read({ experimentId, ...body }, signal),
      chosen,
    );
  const main = useMemo(() => {
    const lines = make(JSON.parse(choice) as LineChoice);
    if (view.chosen !== undefined) lines.show(view.chosen.from);
    return lines;
  }, [service, experimentId, choice]);
  const numbers = sources ?? main.sources.value.map(({ source }) => source);
  const apart = view.isApart ? numbers.slice(0, panesMax).join() : "";
  const panes = useMemo(
    () =>
      apart === ""
        ? [main]
        : apart.split(",").map((number) => make(choiceOf({ sources: [Number(number)], streams }))),
    [main, apart],
  );
  const search = useSearch(service, experimentId, choice, query);
  useEffect(() => () => main.stop(), [main]);
  useEffect(() => () => panes.forEach((pane) => pane === main || pane.stop()), [panes]);
  const revision = useRef(0);
  const seen = () => [{ experimentId, revision: revision.current }];
  useChanges(
    service,
    {
      seen,
      look: async (changes) => {
        const changed = changes?.experiments.find((one) => one.experimentId === experimentId);
        await Promise.all([...new Set([main, ...panes])].map((lines) => lines.look()));
        revision.current = changed?.revision ?? revision.current;
        search?.goOn(main.total.peek() ?? 0);
      },
    },
    [experimentId, main, panes],
  );
  return { main, panes, search };
}

/** The search of a query; another query makes another one. */
function useSearch(
  service: Service,
  experimentId: string,
  choice: string,
  query: ConsoleView["query"],
): Search | undefined {
  const key = JSON.stringify(query);
  const search = useMemo(() => {
    if (query.text === "") return undefined;
    const chosen = JSON.parse(choice) as LineChoice;
    return new Search(
      (body, signal) => service.client.console.search({ experimentId, ...chosen, ...body }, signal),
      query,
    );
  }, [service, experimentId, choice, key]);
  useEffect(() => {
    void search?.run();
    return () => search?.stop();
  }, [search]);
  return search;
}

/** Without keys for what is not chosen, as requests have it. */
export function choiceOf({
  sources,
  streams,
}: Pick<ConsoleView, "sources" | "streams">): LineChoice {
  return {
    ...(sources !== undefined && { sources: [...sources] }),
    ...(streams !== undefined && { streams: [...streams] }),
  };
}
