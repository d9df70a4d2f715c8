import type { LosslessClient } from "@lossless/client";
import type { ExportedConsole } from "./layout.ts";

/** Writes the lines of a console as they were at one moment; nothing where there are none. */
export async function exportConsole(
  client: LosslessClient,
  experimentId: string,
  write: (content: () => AsyncGenerator<string>) => Promise<unknown>,
): Promise<ExportedConsole> {
  const { total, sources } = await client.console.read({ experimentId, limit: 1 });
  if (sources.length > 0) await write(() => linesBelow(client, experimentId, total));
  return { lines: total, sources };
}

/** Lines that came meanwhile are left to the next export. */
async function* linesBelow(
  client: LosslessClient,
  experimentId: string,
  total: number,
): AsyncGenerator<string> {
  for await (const lines of client.console.lines({ experimentId })) {
    for (const line of lines) {
      if (line.line >= total) return;
      yield `${JSON.stringify(line)}\n`;
    }
  }
}
