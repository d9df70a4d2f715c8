import type { Reader } from "../../database/database.ts";
import type { Cell, ColumnDefinition } from "../../ground/parquet/column.ts";

const annotationsPerPage = 500;

export const annotationColumns: readonly ColumnDefinition[] = [
  { name: "experimentId", type: "text" },
  { name: "slug", type: "text" },
  { name: "annotationId", type: "text" },
  { name: "createdAtMs", type: "int64" },
  { name: "annotation", type: "text" },
  { name: "meta", type: "text" },
];

interface AnnotationRow {
  number: number;
  slug: string;
  id: string;
  text: string;
  meta: string;
  created_at_ms: number;
}

/** Yields the annotations in order of arrival. */
export async function* annotationPages(
  reader: Reader,
  experimentId: string,
): AsyncGenerator<Cell[][]> {
  let above = 0;
  for (;;) {
    const rows = await reader.all<AnnotationRow>(
      `SELECT annotation.number, experiment.slug, annotation.id, annotation.text, annotation.meta,
         annotation.created_at_ms
       FROM annotation JOIN experiment ON experiment.id = annotation.experiment
       WHERE annotation.experiment = $1 AND annotation.number > $2
       ORDER BY annotation.number LIMIT $3`,
      experimentId,
      above,
      annotationsPerPage,
    );
    yield rows.map((row) => [
      experimentId,
      row.slug,
      row.id,
      row.created_at_ms,
      row.text,
      row.meta,
    ]);
    if (rows.length < annotationsPerPage) return;
    above = rows.at(-1)!.number;
  }
}
