import type { Reader } from "../../database/database.ts";
import { directions } from "../../experiments/lineage/links.ts";
import { namedIn } from "../../experiments/lineage/subject.ts";
import { integerOf } from "../../experiments/mlflow/metric.ts";
import type { Cell, ColumnDefinition } from "../../ground/parquet/column.ts";

const linksPerPage = 500;

export const lineageColumns: readonly ColumnDefinition[] = [
  { name: "experimentId", type: "text" },
  { name: "slug", type: "text" },
  { name: "direction", type: "text" },
  { name: "kind", type: "text" },
  { name: "name", type: "text" },
  { name: "version", type: "text", isOptional: true },
  { name: "digest", type: "text", isOptional: true },
  { name: "modelId", type: "text", isOptional: true },
  { name: "role", type: "text" },
  { name: "named", type: "text" },
  { name: "step", type: "int64", isOptional: true },
  { name: "atMs", type: "int64", isOptional: true },
];

interface Link {
  direction: number;
  /** The subject of a version, the id of a data set or of a model. */
  place: string;
  name: string;
  digest: string | null;
  role: string;
  named: string;
  step: number | string | null;
  at_ms: number | null;
}

const page = `ORDER BY direction, place, role LIMIT ${linksPerPage}`;
const after = "> (CAST($2 AS BIGINT), CAST($3 AS TEXT), CAST($4 AS TEXT))";

/** Links of the experiment $1, those after a direction, place and role. */
const selects = [
  {
    kind: "version",
    select: `SELECT direction, subject AS place, '' AS name, NULL AS digest, role, named, step, at_ms
      FROM lineage WHERE experiment = $1 AND (direction, subject, role) ${after} ${page}`,
  },
  {
    kind: "dataset",
    select: `SELECT ${directions.used} AS direction, dataset AS place, name, digest,
        coalesce(context, '') AS role, '' AS named, NULL AS step, CAST(NULL AS BIGINT) AS at_ms
      FROM run_input JOIN dataset ON dataset.id = dataset
      WHERE experiment = $1 AND (${directions.used}, dataset, coalesce(context, '')) ${after} ${page}`,
  },
  {
    kind: "model",
    select: `SELECT direction, model AS place, name, NULL AS digest, '' AS role, '' AS named,
        CASE WHEN direction = ${directions.wrote} THEN step END AS step, created_at_ms AS at_ms
      FROM run_model JOIN logged_model ON logged_model.id = model
      WHERE run_model.experiment = $1 AND (direction, model, '') ${after} ${page}`,
  },
  // Models that name the run as their source, which the run does not name itself.
  {
    kind: "model",
    select: `SELECT ${directions.wrote} AS direction, id AS place, name, NULL AS digest, '' AS role,
        '' AS named, NULL AS step, created_at_ms AS at_ms
      FROM logged_model
      WHERE source_run = $1 AND organization = (SELECT organization FROM experiment WHERE id = $1)
        AND NOT EXISTS (SELECT 1 FROM run_model WHERE experiment = $1 AND model = logged_model.id
          AND direction = ${directions.wrote})
        AND (${directions.wrote}, id, '') ${after} ${page}`,
  },
];

/** Yields what a run used and made, kind by kind. */
export async function* lineagePages(
  reader: Reader,
  experimentId: string,
): AsyncGenerator<Cell[][]> {
  const run = await reader.get<{ slug: string }>(
    "SELECT slug FROM experiment WHERE id = $1",
    experimentId,
  );
  for (const { kind, select } of selects) {
    let last = { direction: -1, place: "", role: "" };
    for (;;) {
      const { direction, place, role } = last;
      const rows = await reader.all<Link>(select, experimentId, direction, place, role);
      yield rows.map((row) => [experimentId, run!.slug, ...cellsOf(kind, row)]);
      if (rows.length < linksPerPage) break;
      last = rows.at(-1)!;
    }
  }
}

function cellsOf(kind: string, link: Link): Cell[] {
  const { direction, place, digest, role, named, step, at_ms: atMs } = link;
  const isVersion = kind === "version";
  const { artifact: name, version } = isVersion
    ? namedIn(place)
    : { artifact: link.name, version: null };
  const modelId = kind === "model" ? place : null;
  const way = direction === directions.used ? "used" : "made";
  return [way, kind, name, version, digest, modelId, role, named, stepOf(step), atMs];
}

/** Steps of models are texts, and may be any integer of 64 bits. */
function stepOf(step: number | string | null): number | null {
  const number = typeof step === "string" ? Number(integerOf(step)) : step;
  return Number.isSafeInteger(number) ? number : null;
}
