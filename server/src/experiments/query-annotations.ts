import type { Annotation, ReplyData, RequestData } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../database/database.ts";
import { parseExact } from "../exact-json.ts";
import { requireExperiment } from "./identity.ts";

export interface QueryAnnotations {
  organizationId: string;
  data: RequestData<"svc.v2.query.annotations">;
}

const rowsPerPage = 1_000;
/** 100,000 annotations of the largest size would be 8 GB; a reply this large is cut like one with too many. */
const characterLimit = 64 * 1024 * 1024;

/** `query.annotations`: newest first by the order in which the service took them in, not by its clock (M43, M61). */
export async function queryAnnotations(
  reader: Reader,
  { organizationId, data }: QueryAnnotations,
): Promise<ReplyData<"svc.v2.query.annotations">> {
  const experimentId = await requireExperiment(reader, organizationId, data);
  const annotations: Annotation[] = [];
  let characters = 0;
  for (let below = Number.MAX_SAFE_INTEGER; ;) {
    const rows = await readPage(reader, experimentId, below);
    for (const row of rows) {
      characters += row.text.length + row.meta.length;
      const isFull =
        annotations.length === limits.annotationsReturnedMax || characters > characterLimit;
      if (isFull) return { experimentId, annotations, truncated: true };
      annotations.push(toAnnotation(row));
      below = row.number;
    }
    if (rows.length < rowsPerPage) return { experimentId, annotations, truncated: false };
  }
}

interface AnnotationRow {
  number: number;
  id: string;
  text: string;
  meta: string;
  created_at_ms: number;
}

function readPage(reader: Reader, experimentId: string, below: number): Promise<AnnotationRow[]> {
  return reader.all<AnnotationRow>(
    `SELECT number, id, text, meta, created_at_ms FROM annotation
     WHERE experiment = $1 AND number < $2 ORDER BY number DESC LIMIT $3`,
    experimentId,
    below,
    rowsPerPage,
  );
}

function toAnnotation(row: AnnotationRow): Annotation {
  return {
    annotationId: row.id,
    annotation: row.text,
    meta: parseExact(row.meta) as Record<string, unknown>,
    createdAtMs: row.created_at_ms,
  };
}
