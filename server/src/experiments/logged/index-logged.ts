import { limits } from "@lossless/protocol/limits";
import type { Reader, Transaction } from "../../database/database.ts";
import {
  kindNumber,
  type LoggedPlace,
  placeOfImage,
  placeOfMeta,
  placesOfTables,
  tablesTag,
} from "./place.ts";

/** What a row of the index points to: an annotation by its number, or a file by its path. */
export type LoggedSource = { annotation: number } | { path: string };

/**
 * Adds something to the index, once. The head of the experiment is locked. Series beyond the limit
 * of an experiment are left out.
 */
export async function addLogged(
  transaction: Transaction,
  experimentId: string,
  place: LoggedPlace,
  source: LoggedSource,
): Promise<void> {
  const series =
    (await findSeries(transaction, experimentId, place)) ??
    (await addSeries(transaction, experimentId, place));
  if (series === undefined) return;
  const added = await transaction.run(
    `INSERT INTO logged (experiment, series, step, annotation, path) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT DO NOTHING`,
    experimentId,
    series,
    place.step,
    ...columnsOf(source),
  );
  if (added === 0) return;
  await transaction.run(
    `UPDATE logged_series SET items = items + 1,
       first_step = CASE WHEN items = 0 OR first_step > $3 THEN $3 ELSE first_step END,
       last_step = CASE WHEN items = 0 OR last_step < $3 THEN $3 ELSE last_step END
     WHERE experiment = $1 AND number = $2`,
    experimentId,
    series,
    place.step,
  );
}

/** Adds an annotation that says in its meta that it is about media or a text. */
export async function addLoggedAnnotation(
  transaction: Transaction,
  experimentId: string,
  metaText: string,
  annotation: number,
): Promise<void> {
  const place = placeOfMeta(metaText);
  if (place !== undefined) await addLogged(transaction, experimentId, place, { annotation });
}

/**
 * Adds a file of a run, if it is an image of MLflow's `log_image`, or a table that the run's tag
 * lists.
 */
export async function addLoggedFile(
  transaction: Transaction,
  experimentId: string,
  path: string,
): Promise<void> {
  const image = placeOfImage(path);
  if (image !== undefined) await addLogged(transaction, experimentId, image, { path });
  else if (path.endsWith(".json")) await addLoggedTables(transaction, experimentId, [path]);
}

/** Adds tables that the run's tag lists and that are there: these, or all. */
export async function addLoggedTables(
  transaction: Transaction,
  experimentId: string,
  paths?: readonly string[],
): Promise<void> {
  const tag = await transaction.get<{ value: string }>(
    "SELECT value FROM run_tag WHERE experiment = $1 AND key = $2",
    experimentId,
    tablesTag,
  );
  for (const { path, ...place } of placesOfTables(tag?.value ?? "")) {
    if (paths?.includes(path) === false) continue;
    const file = await transaction.get(
      "SELECT path FROM file WHERE owner = $1 AND path = $2",
      experimentId,
      path,
    );
    if (file !== undefined) await addLogged(transaction, experimentId, place, { path });
  }
}

/** Removes files of a run from the index. */
export async function removeLoggedFiles(
  transaction: Transaction,
  experimentId: string,
  paths: readonly string[],
): Promise<void> {
  for (const path of paths) {
    const place = placeOfImage(path) ?? ({ kind: "table", name: path, step: 0 } as const);
    const series = await findSeries(transaction, experimentId, place);
    if (series === undefined) continue;
    const removed = await transaction.run(
      `DELETE FROM logged
       WHERE experiment = $1 AND series = $2 AND step = $3 AND annotation = 0 AND path = $4`,
      experimentId,
      series,
      place.step,
      path,
    );
    if (removed > 0) await countAgain(transaction, experimentId, series);
  }
}

async function countAgain(transaction: Transaction, experimentId: string, series: number) {
  await transaction.run(
    `UPDATE logged_series SET items = items - 1,
       first_step = coalesce((SELECT min(step) FROM logged
         WHERE experiment = $1 AND series = $2), first_step),
       last_step = coalesce((SELECT max(step) FROM logged
         WHERE experiment = $1 AND series = $2), last_step)
     WHERE experiment = $1 AND number = $2`,
    experimentId,
    series,
  );
  await transaction.run(
    "DELETE FROM logged_series WHERE experiment = $1 AND number = $2 AND items = 0",
    experimentId,
    series,
  );
}

async function findSeries(
  reader: Reader,
  experimentId: string,
  { kind, name }: Pick<LoggedPlace, "kind" | "name">,
): Promise<number | undefined> {
  const row = await reader.get<{ number: number }>(
    "SELECT number FROM logged_series WHERE experiment = $1 AND name = $2 AND kind = $3",
    experimentId,
    name,
    kindNumber(kind),
  );
  return row?.number;
}

async function addSeries(
  transaction: Transaction,
  experimentId: string,
  { kind, name, step }: LoggedPlace,
): Promise<number | undefined> {
  const row = await transaction.get<{ number: number }>(
    `INSERT INTO logged_series (experiment, number, name, kind, items, first_step, last_step)
     SELECT $1, number + 1, $2, CAST($3 AS BIGINT), 0, CAST($4 AS BIGINT), CAST($4 AS BIGINT)
     FROM (SELECT coalesce(max(number), 0) AS number, count(*) AS series FROM logged_series
       WHERE experiment = $1) AS known
     WHERE series < ${limits.loggedSeriesPerExperimentMax} RETURNING number`,
    experimentId,
    name,
    kindNumber(kind),
    step,
  );
  return row?.number;
}

function columnsOf(source: LoggedSource): [number, string] {
  return "path" in source ? [0, source.path] : [source.annotation, ""];
}
