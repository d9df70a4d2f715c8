import type { ConsoleLine } from "@lossless/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { fileName, saveFile } from "../../../parts/save-file.ts";
import { messageOf } from "../../../parts/words.ts";
import type { Service } from "../../../signed-in.ts";
import type { LineChoice } from "./console-lines.ts";

interface Props {
  service: Service;
  experimentId: string;
  choice: LineChoice;
  total: number;
}

/** A button that saves all lines of the choice as a text, page by page. */
export function SaveLog({ service, experimentId, choice, total }: Props) {
  const [done, setDone] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const stopped = useRef<AbortController>(undefined);
  useEffect(() => () => stopped.current?.abort(), []);
  const save = async () => {
    const { signal } = (stopped.current = new AbortController());
    setDone(0);
    setProblem(undefined);
    try {
      const pages = service.client.console.lines({ experimentId, ...choice }, signal);
      const file = await logFile(pages, setDone);
      const { slug } = await service.client.experiment({ experimentId });
      saveFile(fileName(slug, "log"), file);
    } catch (error) {
      if (!signal.aborted) setProblem(messageOf(error));
    }
    setDone(undefined);
  };
  const share = Math.floor((100 * (done ?? 0)) / Math.max(1, total));
  return (
    <>
      <button
        type="button"
        title="All lines of the chosen processes and streams, as a text"
        onClick={() => (done === undefined ? void save() : stopped.current?.abort())}
      >
        {done === undefined ? "download" : `${share} %, cancel`}
      </button>
      {problem !== undefined && <span role="alert">{problem}</span>}
    </>
  );
}

/**
 * Makes a text of lines. Each page becomes a file of its own at once, which the browser keeps on
 * the disk and not in the page's memory.
 */
async function logFile(
  pages: AsyncIterable<readonly ConsoleLine[]>,
  onLines: (lines: number) => void,
): Promise<Blob> {
  const parts: Blob[] = [];
  for await (const lines of pages) {
    parts.push(new Blob([lines.map(({ text }) => `${text}\n`).join("")]));
    onLines(lines.at(-1)!.line);
  }
  return new Blob(parts, { type: "text/plain" });
}
