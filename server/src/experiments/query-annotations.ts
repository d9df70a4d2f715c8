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
  await addAnnotations(reader, { experimentId }, text);
  await text.add("}");
}

/** Annotations of an experiment, all of them unless it says more. */
export interface WantedAnnotations {
  experimentId: string;
  /** The number below the lowest. */
  above?: number;
  /** Leaves out those of media, texts and histograms that are read by step. */
  withoutLogged?: boolean;
}

/**
 * Writes the members `annotations` and `truncated`. `shown` returns what is written of a meta.
 */
export async function addAnnotations(
  reader: Reader,
  wanted: WantedAnnotations,
  text: ReplyText,
  shown = (meta: string) => meta,
): Promise<void> {
  await text.add('"annotations":[');
  let count = 0;
  let sizeBytes = frameBytes;
  for await (const rows of readPages(reader, wanted)) {
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

async function* readPages(
  reader: Reader,
  { experimentId, above = 0, withoutLogged = false }: WantedAnnotations,
): AsyncGenerator<AnnotationRow[]> {
  const all = (condition: string, ...values: (string | number)[]) =>
    reader.all<AnnotationRow>(
      `SELECT number, id, text, meta, created_at_ms FROM annotation
       WHERE experiment = $1 AND ${condition}`,
      experimentId,
      ...values,
    );
  let below = Number.MAX_SAFE_INTEGER;
  let read = async (limit: number): Promise<AnnotationRow[]> => {
    const order = "number < $2 AND number > $3 ORDER BY number DESC LIMIT $4";
    const rows = await all(order, below, above, limit);
    below = rows.at(-1)?.number ?? below;
    return rows;
  };
  if (withoutLogged) {
    const numbers = await numbersBesideLogged(reader, experimentId, above);
    read = async (limit) => {
      const own = JSON.stringify(numbers.splice(0, limit));
      return all(`${reader.isOneOfIntegers("number", "$2")} ORDER BY number DESC`, own);
    };
  }
  yield* pages(rowsPerPageMax, read, ({ text, meta }) => text.length + meta.length);
}

/**
 * Returns the numbers of annotations that are in no series of `logged`, newest first, one more than
 * a reply may have. No index leads from an annotation to its rows there: all are read, once.
 */
async function numbersBesideLogged(
  reader: Reader,
  experimentId: string,
  above: number,
): Promise<number[]> {
  const rows = await reader.all<{ number: number }>(
    `SELECT number FROM annotation WHERE experiment = $1 AND number > $2 AND number NOT IN
       (SELECT annotation FROM logged WHERE experiment = $1 AND annotation > $2)
     ORDER BY number DESC LIMIT ${limits.annotationsReturnedMax + 1}`,
    experimentId,
    above,
  );
  return rows.map(({ number }) => number);
}

/** The meta is JSON as it was sent: it is never parsed. */
function annotationText({ id, text, meta, created_at_ms: createdAtMs }: AnnotationRow): string {
  const known = `{"annotationId":${JSON.stringify(id)},"annotation":${JSON.stringify(text)}`;
  return `${known},"meta":${meta},"createdAtMs":${createdAtMs}}`;
}
