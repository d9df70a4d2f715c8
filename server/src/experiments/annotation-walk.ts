import type { Reader } from "../database/database.ts";
import { pages } from "../ground/pages.ts";

const annotationsPerPageMax = 500;

export interface WalkedAnnotation {
  number: number;
  /** JSON, as it is stored. */
  meta: string;
  atMs: number;
}

/** Yields the annotations of an experiment up to a number, in order of arrival. */
export async function* annotationsOf(
  reader: Reader,
  experimentId: string,
  upTo = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<WalkedAnnotation> {
  let above = 0;
  const read = async (limit: number) => {
    const rows = await reader.all<WalkedAnnotation>(
      `SELECT number, meta, created_at_ms AS "atMs" FROM annotation
       WHERE experiment = $1 AND number > $2 AND number <= $3 ORDER BY number LIMIT $4`,
      experimentId,
      above,
      upTo,
      limit,
    );
    above = rows.at(-1)?.number ?? above;
    return rows;
  };
  for await (const rows of pages(annotationsPerPageMax, read, ({ meta }) => meta.length))
    yield* rows;
}
