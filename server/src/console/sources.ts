import type { Reader } from "../database/database.ts";
import { addArray, type ReplyText } from "../ground/reply-text.ts";

interface SourceRow {
  number: number;
  id: string;
  about: string;
  lines: number;
  open: string;
}

/**
 * Writes the JSON array of a console's sources: all, or the given ones and those with lines that
 * have not ended.
 */
export async function addSources(
  reader: Reader,
  experimentId: string,
  text: ReplyText,
  among?: ReadonlySet<number>,
): Promise<void> {
  const parameters = [experimentId];
  let isWanted = "TRUE";
  if (among !== undefined) {
    parameters.push(JSON.stringify([...among]));
    isWanted = `(open <> '[]' OR ${reader.isOneOfIntegers("number", "$2")})`;
  }
  const rows = await reader.all<SourceRow>(
    `SELECT number, id, about, lines, open FROM console_source WHERE experiment = $1 AND ${isWanted}
     ORDER BY number`,
    ...parameters,
  );
  await (rows.length === 0 ? text.add("[]") : addArray(text, rows, sourceText));
}

function sourceText({ number, id, about, lines, open }: SourceRow): string {
  const known = JSON.stringify({ source: number, id, ...(JSON.parse(about) as object), lines });
  return `${known.slice(0, -1)},"open":${open}}`;
}
