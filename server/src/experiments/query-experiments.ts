import type { ReplyData, RequestData } from "@lossless/protocol";
import type { Reader } from "../database/database.ts";
import { recordColumns, toRecord, type RecordRow } from "./record.ts";

export interface QueryExperiments {
  organizationId: string;
  data: RequestData<"svc.v2.query.experiments">;
}

/** `query.experiments`: records in request order, each once; ids of other organizations count as missing (M62). */
export async function queryExperiments(
  reader: Reader,
  { organizationId, data: { experimentIds } }: QueryExperiments,
): Promise<ReplyData<"svc.v2.query.experiments">> {
  const wanted = [...new Set(experimentIds)];
  const rows = await reader.all<RecordRow>(
    `SELECT ${recordColumns} FROM experiment WHERE organization = $1 AND ${reader.isOneOf("id", "$2")}`,
    organizationId,
    JSON.stringify(wanted),
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  return {
    experiments: wanted.flatMap((id) => {
      const row = found.get(id);
      return row === undefined ? [] : [toRecord(row)];
    }),
    missingExperimentIds: wanted.filter((id) => !found.has(id)),
  };
}
