import { useEffect, useMemo, useRef } from "preact/hooks";
import type { PathProps } from "../../../page.ts";
import { persistently } from "../../../parts/persistently.ts";
import { useRead } from "../../../parts/use-read.ts";
import { Choices } from "./choices.tsx";
import { ConsoleFoot } from "./console-foot.tsx";
import { ConsoleKeys } from "./console-keys.tsx";
import type { ConsoleLines, ConsoleSource } from "./console-lines.ts";
import { consoleViewOf, type ConsoleView, linesText } from "./console-view.ts";
import type { LineLook } from "./line-row.tsx";
import { sourceName, sourceWord } from "./line-words.ts";
import { NoConsole } from "./no-console.tsx";
import { Pane } from "./pane.tsx";
import { SaveLog } from "./save-log.tsx";
import { SearchField } from "./search-field.tsx";
import type { Query } from "./search.ts";
import { choiceOf, type Consoles, panesMax, useConsoles } from "./use-consoles.ts";
import { useWay, type Way } from "./use-way.ts";

/** Tells the style what stands above the console. */
function fit(console: HTMLElement | null): void {
  if (console === null) return;
  const above = console.getBoundingClientRect().top + window.scrollY;
  console.style.setProperty("--above", `${Math.round(above)}px`);
}

/** The console of an experiment: what its processes print and log. */
export function ConsoleTab({ service, location, id }: PathProps) {
  const view = consoleViewOf((name) => location.parameter(name));
  const consoles = useConsoles(service, id, view);
  const { main, panes, search } = consoles;
  const way = useWay(consoles, view.chosen?.from);
  useTime({ service, location, id }, view.atMs);
  const look = useLook({ service, id }, view.times, main.sources.value, panes.length > 1);
  const acts = actsOf({ location, view, consoles, way });
  const { total, sources } = useKnown(main);
  if (total === undefined)
    return (
      <p class="waiting">
        {main.problem.value ?? service.changes.problem.value ?? "Reading the console …"}
      </p>
    );
  if (sources.length === 0) return <NoConsole />;
  const failing = [main, ...panes].find((lines) => lines.problem.value !== undefined);
  return (
    <section class="console" aria-label="Console" ref={fit}>
      <div class="console-bar">
        <SearchField
          {...{ search, query: view.query, chosen: view.chosen?.from }}
          onQuery={acts.ask}
          onFind={acts.find}
        />
        <Choices {...{ view, sources }} change={(parameters) => location.change(parameters)} />
        <SaveLog {...{ service, experimentId: id, choice: choiceOf(view), total }} />
        <ConsoleKeys onFind={acts.find} onChoose={acts.step} onGo={way.go} onWrap={acts.wrap} />
      </div>
      <div class="panes">
        {panes.map((lines, number) => {
          const isAlone = panes.length === 1;
          const source = sources.find((one) => one.source === lines.choice.sources?.[0]);
          const name = isAlone || source === undefined ? "Console" : sourceName(source);
          return (
            <div class="pane" key={`${isAlone} ${lines.choice.sources?.join()}`}>
              {!isAlone && <h3>{name}</h3>}
              <Pane
                {...{ number, name, isAlone, lines, view, look, search }}
                going={way.going}
                onPlace={(place) => way.placed(place, number)}
                onChoose={acts.choose}
              />
            </div>
          );
        })}
      </div>
      <ConsoleFoot
        {...{ service, location, experimentId: id, main, view, total, sources }}
        problem={failing?.problem.value}
        isAtEnd={way.isAtEnd}
        unshown={view.isApart ? (view.sources ?? sources).length - panesMax : 0}
        onEnd={() => way.go("end")}
      />
    </section>
  );
}

/** Facts about all lines, which another choice of them does not change. */
function useKnown({ total, sources }: ConsoleLines) {
  const known = useRef<{ total?: number; sources: readonly ConsoleSource[] }>({ sources: [] });
  if (total.value !== undefined) known.current = { total: total.value, sources: sources.value };
  return known.current;
}

interface Shown extends Pick<PathProps, "location"> {
  view: ConsoleView;
  consoles: Consoles;
  way: Way;
}

/** The effects of keys and buttons. */
function actsOf({ location, view: { isWrapped }, consoles, way }: Shown) {
  const { panes, search } = consoles;
  const { origin } = way;
  // As it is now: the next key may be faster than a drawing.
  const from = () => consoleViewOf((name) => location.parameter(name)).chosen?.from;
  const choose = (line: number, isRange: boolean) => {
    const other = isRange ? (from() ?? line) : line;
    const range = { from: Math.min(other, line), to: Math.max(other, line) };
    location.change({ line: linesText(range) });
  };
  const seek = async (direction: 1 | -1) => {
    const hit = await (direction === 1
      ? search?.next(from() ?? origin() - 1)
      : search?.previous(from() ?? origin()));
    if (hit !== undefined) choose(hit, false);
  };
  return {
    choose,
    find: (direction: 1 | -1) => void seek(direction),
    step: (direction: 1 | -1) => {
      const { lines } = panes[0].window;
      const next =
        direction === 1
          ? lines.find(({ line }) => line > (from() ?? origin() - 1))
          : lines.findLast(({ line }) => line < (from() ?? origin()));
      if (next !== undefined) choose(next.line, false);
    },
    wrap: () => location.change({ wrap: isWrapped ? "0" : undefined }),
    ask: ({ text, isPattern, matchesCase }: Partial<Query>) =>
      location.change({
        ...(text !== undefined && { find: text, line: undefined }),
        ...(isPattern !== undefined && { re: isPattern ? "1" : undefined }),
        ...(matchesCase !== undefined && { case: matchesCase ? "1" : undefined }),
      }),
  };
}

/** Goes to the line of a time that a chart's cursor has named. */
function useTime({ service, location, id }: PathProps, atMs: number | undefined): void {
  useEffect(() => {
    if (atMs === undefined) return;
    const stopped = new AbortController();
    const read = async (signal: AbortSignal) => {
      const body = { experimentId: id, atMs, limit: 1 };
      const { lines, total } = await service.client.console.read(body, signal);
      // Everything was printed before: the last line is the nearest one.
      const line = lines[0]?.line ?? total - 1;
      const parameters = { at: undefined, line: line < 0 ? undefined : String(line) };
      if (!signal.aborted) location.change(parameters);
    };
    void persistently(read, stopped.signal);
    return () => stopped.abort();
  }, [service, id, atMs]);
}

/** How lines are drawn; the beginning is read when times count from it. */
function useLook(
  { service, id }: Pick<PathProps, "service" | "id">,
  times: LineLook["times"],
  sources: readonly ConsoleSource[],
  isApart: boolean,
): LineLook {
  const isCounted = times === "since";
  const { found } = useRead(
    async () => (isCounted ? service.client.experiment({ experimentId: id }) : undefined),
    [id, isCounted],
  );
  const beganMs = found === undefined ? 0 : (found.startedAtMs ?? found.createdAtMs);
  const words = useMemo(
    () => new Map(sources.map((source) => [source.source, sourceWord(source)])),
    [sources],
  );
  return {
    times: isCounted && found === undefined ? "off" : times,
    beganMs,
    sources: sources.length > 1 && !isApart ? words : undefined,
  };
}
