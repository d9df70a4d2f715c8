import { consoleStreams } from "@lossless/protocol/console-streams";
import { Menu } from "../../../parts/menu.tsx";
import { Narrow } from "../../../parts/narrow.tsx";
import { toggled } from "../../../parts/toggled.ts";
import { countedText, countText } from "../../../parts/words.ts";
import { Choose } from "../choose.tsx";
import type { ConsoleSource } from "./console-lines.ts";
import { type ConsoleView, timeChoices } from "./console-view.ts";
import { sourceName } from "./line-words.ts";

/** Sources in the menu at most; an address may name others. */
const listedMax = 256;

interface Props {
  view: ConsoleView;
  sources: readonly ConsoleSource[];
  change: (parameters: Record<string, string | undefined>) => void;
}

/** How lines are shown, and which. */
export function Choices({ view, sources, change }: Props) {
  const { times, isWrapped, isApart } = view;
  return (
    <Narrow class="console-choices" name="view">
      <Choose
        label="times"
        value={times}
        options={timeChoices.map((choice) => [choice, timeWords[choice]])}
        onChoose={(choice) => change({ times: choice === "clock" ? undefined : choice })}
      />
      <button
        type="button"
        aria-pressed={isWrapped}
        aria-keyshortcuts="w"
        onClick={() => change({ wrap: isWrapped ? "0" : undefined })}
      >
        wrap
      </button>
      <Streams view={view} change={change} />
      {sources.length > 1 && (
        <>
          <Sources {...{ view, sources, change }} />
          <button
            type="button"
            aria-pressed={isApart}
            onClick={() => change({ side: isApart ? undefined : "1" })}
          >
            side by side
          </button>
        </>
      )}
    </Narrow>
  );
}

const timeWords = { clock: "clock", since: "since the start", off: "off" } as const;

function Streams({ view: { streams }, change }: Omit<Props, "sources">) {
  const toggle = (stream: (typeof consoleStreams)[number]) => {
    const next = toggled(streams ?? consoleStreams, stream);
    const isAll = next.length === consoleStreams.length || next.length === 0;
    change({ streams: isAll ? undefined : next.join() });
  };
  const sign = streams === undefined ? "all streams" : streams.join(", ");
  return (
    <Menu sign={`${sign} ▾`} label={`Streams: ${sign}`} staysOpen>
      {consoleStreams.map((stream) => (
        <label key={stream}>
          <input
            type="checkbox"
            checked={streams === undefined || streams.includes(stream)}
            onChange={() => toggle(stream)}
          />{" "}
          {stream}
        </label>
      ))}
    </Menu>
  );
}

function Sources({ view: { sources: chosen }, sources, change }: Props) {
  const numbers = sources.map(({ source }) => source);
  const toggle = (source: number) => {
    const next = toggled(chosen ?? numbers, source);
    const isAll = next.length === numbers.length || next.length === 0;
    change({ sources: isAll ? undefined : next.join() });
  };
  const all = `all ${countedText(sources.length, "process", "processes")}`;
  const sign = chosen === undefined ? all : `${chosen.length} of ${countText(sources.length)}`;
  return (
    <Menu sign={`${sign} ▾`} label={`Processes: ${sign}`} staysOpen>
      {chosen !== undefined && (
        <button type="button" onClick={() => change({ sources: undefined })}>
          all
        </button>
      )}
      {sources.slice(0, listedMax).map((source) => (
        <label key={source.source}>
          <input
            type="checkbox"
            checked={chosen === undefined || chosen.includes(source.source)}
            onChange={() => toggle(source.source)}
          />{" "}
          {sourceName(source)} <span class="count">{countedText(source.lines, "line")}</span>{" "}
        </label>
      ))}
      {sources.length > listedMax && (
        <p class="count">The first {countText(listedMax)}; an address names others: sources=300</p>
      )}
    </Menu>
  );
}
