import { join } from "node:path";
import type { ConsoleLine, LosslessClient, Recorder, SentConsoleLine } from "@lossless/client";
import { linesOf } from "./import-points.ts";
import { type ExportedConsole, names } from "./layout.ts";

/** Lines of a request, and characters of their texts: well below what the service takes. */
const linesMax = 5_000;
const charactersMax = 1_048_576;

/**
 * Appends the lines of an exported console in their order, under the ids of their sources, and
 * returns how many are new here. Those that are here already are not sent again.
 */
export async function importConsole(
  client: LosslessClient,
  recorder: Recorder,
  exported: ExportedConsole | undefined,
  directory: string,
): Promise<number> {
  if (exported === undefined || exported.sources.length === 0) return 0;
  const { experimentId } = recorder;
  const here = await client.console.read({ experimentId, limit: 1 });
  const sources = exported.sources.map(({ id, rank, host, processId, open }) => ({
    sent: {
      id,
      ...(rank !== undefined && { rank }),
      ...(host !== undefined && { host }),
      ...(processId !== undefined && { processId }),
    },
    open,
    stored: here.sources.find((source) => source.id === id)?.lines ?? 0,
    /** Lines of it that were read. */
    read: 0,
  }));
  // Each gets the number that it had.
  for (const { sent, stored } of sources)
    await recorder.appendLines({ source: sent, first: stored, lines: [] });
  let added = 0;
  let some: { source: number; lines: SentConsoleLine[]; characters: number } | undefined;
  const send = async (): Promise<void> => {
    if (some === undefined) return;
    const source = sources[some.source];
    const { lines } = some;
    some = undefined;
    const body = { source: source.sent, first: source.stored, lines };
    source.stored = await recorder.appendLines(body);
    added += lines.length;
  };
  for await (const line of linesOf<ConsoleLine>(join(directory, names.console))) {
    const source = sources[line.source];
    if (source.read++ < source.stored) continue;
    // Lines of different sources stand in the order in which they came.
    const isFull = some && (some.lines.length >= linesMax || some.characters >= charactersMax);
    if (some?.source !== line.source || isFull) await send();
    const { timestampMs, stream, text, spans } = line;
    some ??= { source: line.source, lines: [], characters: 0 };
    some.lines.push({ timestampMs, stream, text, ...(spans && { spans }) });
    some.characters += text.length;
  }
  await send();
  for (const { sent, stored, open } of sources)
    await recorder.appendLines({ source: sent, first: stored, lines: [], open });
  return added;
}
