import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../../database/database.ts";
import type { Annotated } from "../annotated.ts";
import { isLoggedBehind } from "../from-before.ts";

interface Counted {
  items: number;
  first: number;
  last: number;
}

/** Compares the index of what an experiment logged with its annotations. For `lossless verify`. */
export async function wrongLogged(
  reader: Reader,
  experimentId: string,
  { logged }: Annotated,
): Promise<string[]> {
  if (await isLoggedBehind(reader)) return [];
  const series = await reader.all<Counted & { number: number; name: string; kind: number }>(
    `SELECT number, name, kind, items, first_step AS first, last_step AS last FROM logged_series
     WHERE experiment = $1`,
    experimentId,
  );
  const isFull = series.length >= limits.loggedSeriesPerExperimentMax;
  const found = new Map(logged);
  const wrong: string[] = [];
  for (const { number, name, kind, ...stored } of series) {
    const rows = await reader.get<Counted & { files: number }>(
      `SELECT count(*) AS items, coalesce(min(step), 0) AS first, coalesce(max(step), 0) AS last,
         count(CASE WHEN annotation = 0 THEN 1 END) AS files
       FROM logged WHERE experiment = $1 AND series = $2`,
      experimentId,
      number,
    );
    const { files, ...indexed } = rows!;
    const key = JSON.stringify([kind, name]);
    const annotations = found.get(key) ?? 0;
    found.delete(key);
    const isSame =
      indexed.items === stored.items &&
      indexed.first === stored.first &&
      indexed.last === stored.last &&
      indexed.items - files === annotations;
    if (!isSame) wrong.push(`has a wrong index of what it logged as ${name}`);
  }
  if (!isFull)
    for (const key of found.keys()) wrong.push(`lacks the index of what it logged as ${key}`);
  return wrong;
}
