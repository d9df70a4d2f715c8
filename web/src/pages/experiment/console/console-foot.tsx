import { useEffect, useRef, useState } from "preact/hooks";
import type { PageLocation } from "../../../location.ts";
import { countedText, countText } from "../../../parts/words.ts";
import type { Service } from "../../../signed-in.ts";
import { ChosenLines } from "./chosen-lines.tsx";
import type { ConsoleLines, ConsoleSource } from "./console-lines.ts";
import type { ConsoleView } from "./console-view.ts";
import { choiceOf } from "./use-consoles.ts";

interface Props {
  service: Service;
  location: PageLocation;
  experimentId: string;
  main: ConsoleLines;
  view: ConsoleView;
  /** Lines of the console. */
  total: number;
  sources: readonly ConsoleSource[];
  problem: string | undefined;
  /** Whether the end is shown and followed. */
  isAtEnd: boolean;
  /** Sources that have no column. */
  unshown: number;
  onEnd: () => void;
}

/** Facts about the lines, the chosen ones, and the way to the end. */
export function ConsoleFoot(props: Props) {
  const { service, location, experimentId, main, view, total, sources, problem } = props;
  const { isAtEnd, unshown, onEnd } = props;
  const wanted = sources.filter(({ source }) => view.sources?.includes(source) ?? true);
  const lines = wanted.reduce((sum, source) => sum + source.lines, 0);
  const left = useRef(lines);
  if (isAtEnd) left.current = lines;
  // How many of the chosen streams there are is not known.
  const more = view.streams === undefined ? lines - left.current : 0;
  return (
    <footer class="console-foot">
      {view.chosen === undefined ? (
        <span class="count">
          {countedText(total, "line")}
          {sources.length > 1 && ` of ${countedText(sources.length, "process", "processes")}`}
        </span>
      ) : (
        <ChosenLines
          {...{ service, location, experimentId, sources, chosen: view.chosen }}
          choice={choiceOf(view)}
        />
      )}
      {unshown > 0 && (
        <span class="count">
          {countedText(unshown, "more process", "more processes")} not shown
        </span>
      )}
      {problem !== undefined && <span role="alert">not up to date: {problem}</span>}
      <span class="to-end">
        {isAtEnd ? (
          <span class="count">following the end</span>
        ) : (
          <button
            type="button"
            class={more > 0 ? "strong" : ""}
            aria-keyshortcuts="G"
            onClick={onEnd}
          >
            to the end{more > 0 && ` · ${countedText(more, "new line")}`}
          </button>
        )}
      </span>
      <Spoken lines={main} isFollowing={isAtEnd} />
    </footer>
  );
}

/** Milliseconds between sentences for screen readers, and characters of a line in one. */
const spokenEveryMs = 5_000;
const spokenCharacters = 200;

/** Tells screen readers of new lines: how many, and the last one, as seldom as they can follow. */
function Spoken({ lines, isFollowing }: { lines: ConsoleLines; isFollowing: boolean }) {
  const [said, setSaid] = useState("");
  const known = useRef<number>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const total = lines.total.value;
  useEffect(() => {
    known.current ??= total;
    if (!isFollowing || total === known.current) return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      const now = lines.total.peek() ?? 0;
      const last = lines.window.lines.at(-1)?.text.slice(0, spokenCharacters) ?? "";
      setSaid(`${countText(now - (known.current ?? now))} new lines, the last: ${last}`);
      known.current = now;
    }, spokenEveryMs);
  }, [lines, total, isFollowing]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <p class="unseen" aria-live="polite">
      {said}
    </p>
  );
}
