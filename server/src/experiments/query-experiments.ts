import type { RequestData } from "@lossless/protocol";
import type { Reader } from "../database/database.ts";
import { pages } from "../ground/pages.ts";
import type { ReplyText } from "../ground/reply-text.ts";
import { recordColumns, recordText, type RecordRow } from "./record.ts";

export interface QueryExperiments {
  organizationId: string;
  data: RequestData<"svc.v2.query.experiments">;
}

/**
 * `query.experiments`: records in request order, each once; ids of other organizations count as
 * missing (M62).
 */
export async function queryExperiments(
  reader: Reader,
  { organizationId, data: { experimentIds } }: QueryExperiments,
  text: ReplyText,
): Promise<void> {
  const wanted = [...new Set(experimentIds)];
  const missing: string[] = [];
  await text.add('{"experiments":[');
  let separator = "";
  for await (const rows of readRecords(reader, organizationId, wanted)) {
    for (const row of rows) {
      if (typeof row === "string") missing.push(row);
      else {
        await text.add(separator + recordText(row));
        separator = ",";
      }
    }
  }
  await text.add(`],"missingExperimentIds":${JSON.stringify(missing)}}`);
}

/** Reads records in the order of `wanted`; the id where there is none. */
function readRecords(
  reader: Reader,
  organizationId: string,
  wanted: readonly string[],
): AsyncGenerator<(RecordRow | string)[]> {
  let at = 0;
  const read = async (limit: number): Promise<(RecordRow | string)[]> => {
    const ids = wanted.slice(at, at + limit);
    at += ids.length;
    if (ids.length === 0) return [];
    const rows = await reader.all<RecordRow>(
      `SELECT ${recordColumns} FROM experiment
       WHERE organization = $1 AND trashed_at_ms IS NULL AND ${reader.isOneOf("id", "$2")}`,
      organizationId,
      JSON.stringify(ids),
    );
    const found = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => found.get(id) ?? id);
  };
  return pages(wanted.length, read, sizeOf);
}

function sizeOf(row: RecordRow | string): number {
  if (typeof row === "string") return row.length;
  return row.description.length + row.meta.length + (row.error_meta?.length ?? 0);
}
