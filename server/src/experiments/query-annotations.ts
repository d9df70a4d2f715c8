import type { RequestData } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../database/database.ts";
import { pages } from "../ground/pages.ts";
import type { ReplyText } from "../ground/reply-text.ts";
import { requireExperiment } from "./identity.ts";

export interface QueryAnnotations {
  organizationId: string;
  data: RequestData<"svc.v2.query.annotations">;
}

const rowsPerPageMax = 200;
/** Bytes around the annotations in a reply, estimated high. */
const frameBytes = 1_024;

/**
 * `query.annotations`: newest first by order of arrival, not by the service's clock (M43, M61). A
 * reply that would be too large is cut like one with too many annotations; one that does not fit
 * beside the other replies of its request is `result_too_large`.
 */
export async function queryAnnotations(
  reader: Reader,
  { organizationId, data }: QueryAnnotations,
  text: ReplyText,
): Promise<void> {
  const experimentId = await requireExperiment(reader, organizationId, data);
  await text.add(`{"experimentId":${JSON.stringify(experimentId)},`);
  await addAnnotations(reader, experimentId, 0, text);
  await text.add("}");
}

/**
 * Writes the members `annotations` and `truncated`, with annotations numbered above this one.
 * `shown` returns what is written of a meta.
 */
export async function addAnnotations(
  reader: Reader,
  experimentId: string,
  above: number,
  text: ReplyText,
  shown = (meta: string) => meta,
): Promise<void> {
  await text.add('"annotations":[');
  let count = 0;
  let sizeBytes = frameBytes;
  for await (const rows of readPages(reader, experimentId, above)) {
    for (const row of rows) {
      const annotation = annotationText({ ...row, meta: shown(row.meta) });
      sizeBytes += Buffer.byteLength(annotation) + 1;
      if (count === limits.annotationsReturnedMax || sizeBytes > text.bytes.max) {
        await text.add('],"truncated":true');
        return;
      }
      await text.add(count === 0 ? annotation : `,${annotation}`);
      count += 1;
    }
  }
  await text.add('],"truncated":false');
}

interface AnnotationRow {
  number: number;
  id: string;
  text: string;
  meta: string;
  created_at_ms: number;
}

function readPages(
  reader: Reader,
  experimentId: string,
  above: number,
): AsyncGenerator<AnnotationRow[]> {
  let below = Number.MAX_SAFE_INTEGER;
  const read = async (limit: number): Promise<AnnotationRow[]> => {
    const rows = await reader.all<AnnotationRow>(
      `SELECT number, id, text, meta, created_at_ms FROM annotation
       WHERE experiment = $1 AND number < $2 AND number > $3 ORDER BY number DESC LIMIT $4`,
      experimentId,
      below,
      above,
      limit,
    );
    below = rows.at(-1)?.number ?? below;
    return rows;
  };
  return pages(rowsPerPageMax, read, ({ text, meta }) => text.length + meta.length);
}

/** The meta is JSON as it was sent: it is never parsed. */
function annotationText({ id, text, meta, created_at_ms: createdAtMs }: AnnotationRow): string {
  const known = `{"annotationId":${JSON.stringify(id)},"annotation":${JSON.stringify(text)}`;
  return `${known},"meta":${meta},"createdAtMs":${createdAtMs}}`;
}
