import type { RequestData } from "@lossless/protocol";
import type { Reader } from "../database/database.ts";
import type { ReplyText } from "../ground/reply-text.ts";
import { requireExperiment } from "./identity.ts";
import { recordColumns, recordText, type RecordRow } from "./record.ts";

export interface QueryExperiment {
  organizationId: string;
  data: RequestData<"svc.v2.query.experiment">;
}

/** `query.experiment`: the record by id or slug. */
export async function queryExperiment(
  reader: Reader,
  { organizationId, data }: QueryExperiment,
  text: ReplyText,
): Promise<void> {
  const id = await requireExperiment(reader, organizationId, data);
  const row = await reader.get<RecordRow>(
    `SELECT ${recordColumns} FROM experiment WHERE id = $1`,
    id,
  );
  if (row === undefined) throw new Error(`BUG: experiment ${id} is gone within a snapshot`);
  await text.add(recordText(row));
}
