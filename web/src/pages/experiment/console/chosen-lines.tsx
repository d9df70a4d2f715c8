import { useState } from "preact/hooks";
import { serviceUrl } from "../../../base-path.ts";
import type { PageLocation } from "../../../location.ts";
import { Copy, copied } from "../../../parts/copy.tsx";
import { useRead } from "../../../parts/use-read.ts";
import { countText, messageOf } from "../../../parts/words.ts";
import type { Service } from "../../../signed-in.ts";
import type { ConsoleSource, LineChoice } from "./console-lines.ts";
import { consoleParameters, type ConsoleView } from "./console-view.ts";
import { exactTime, sourceName } from "./line-words.ts";

/** Lines that are copied at most. */
const copiedMax = 10_000;

interface Props {
  service: Service;
  location: PageLocation;
  experimentId: string;
  choice: LineChoice;
  chosen: NonNullable<ConsoleView["chosen"]>;
  sources: readonly ConsoleSource[];
}

/** Facts about the chosen lines, and actions on them. */
export function ChosenLines({ service, location, experimentId, choice, chosen, sources }: Props) {
  const { from, to } = chosen;
  const { found } = useRead(
    (signal) => service.client.console.read({ experimentId, first: from, limit: 1 }, signal),
    [experimentId, from],
  );
  const line = found?.lines.find((one) => one.line === from);
  const source = sources.find((one) => one.source === line?.source);
  const facts =
    line === undefined
      ? []
      : [line.stream, exactTime(line.timestampMs), source && sourceName(source)];
  const name = from === to ? `line ${from}` : `lines ${from} to ${to}`;
  const toCharts = () => {
    const none = Object.fromEntries(consoleParameters.map((each) => [each, undefined]));
    const at = String(line!.timestampMs);
    location.change({ ...none, tab: "charts", x: "time", r: undefined, at }, true);
  };
  return (
    <>
      <span>
        <b>{name}</b> <span class="count">{facts.filter(Boolean).join(" · ")}</span>
      </span>
      <Copy text={serviceUrl() + location.address} label="copy link" />
      <CopyText key={name} {...{ service, experimentId, choice, chosen }} />
      {line !== undefined && (
        <button type="button" onClick={toCharts}>
          charts at this time
        </button>
      )}
      <button
        type="button"
        aria-label="Choose no line"
        onClick={() => location.change({ line: undefined })}
      >
        ✕
      </button>
    </>
  );
}

/** Copies the text of the chosen lines, which need not be on the screen. */
function CopyText({
  service,
  experimentId,
  choice,
  chosen: { from, to },
}: Pick<Props, "service" | "experimentId" | "choice" | "chosen">) {
  const [said, setSaid] = useState<string>();
  const copy = async () => {
    const texts: string[] = [];
    try {
      const body = { experimentId, ...choice, first: from };
      pages: for await (const page of service.client.console.lines(body))
        for (const { line, text } of page) {
          if (line > to || texts.length === copiedMax) break pages;
          texts.push(text);
        }
      const isAll = texts.length < copiedMax;
      const words = isAll ? "copied" : `the first ${countText(copiedMax)} copied`;
      setSaid((await copied(texts.join("\n"))) ? words : "could not copy");
    } catch (error) {
      setSaid(messageOf(error));
    }
  };
  return (
    <button type="button" class="copy" onClick={() => void copy()}>
      <span aria-live="polite">{said ?? "copy text"}</span>
    </button>
  );
}
