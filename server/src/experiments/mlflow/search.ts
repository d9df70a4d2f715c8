import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../../database/database.ts";
import type { WalkContext } from "../../ground/walk.ts";
import type { PointsReader } from "../summaries/lasts.ts";
import type { Condition } from "./condition.ts";
import { comparePositions, type OrderBy, type PageEnd, type SearchPosition } from "./order.ts";
import { readRuns, type Run } from "./read.ts";
import { runsThatFit } from "./runs-that-fit.ts";
import { placesCompared } from "./search-others.ts";
import { findPage } from "./search-pages.ts";
import { positionOf, type Search, searchStatement, type Stages } from "./search-statement.ts";

export interface SearchRuns {
  organizationId: string;
  folderIds: string[];
  stages: Stages;
  conditions: Condition[];
  orderBy: OrderBy[];
  limit: number;
  after: PageEnd | undefined;
}

export interface FoundRuns {
  runs: Run[];
  next: PageEnd | undefined;
}

/** Order after the clauses of the request: the newest first. */
const byStart: OrderBy = { field: { kind: "attribute", key: "start_time" }, isAscending: false };

/** `run.search`: the places of a page are found first, then it is read whole. */
export async function searchRuns(
  reader: Reader,
  { orderBy, limit, after, ...asked }: SearchRuns,
  context: PointsReader & WalkContext,
): Promise<FoundRuns> {
  const isByStart = orderBy.some(({ field: { kind, key } }) => {
    return kind === byStart.field.kind && key === byStart.field.key;
  });
  const clauses = isByStart ? orderBy : [...orderBy, byStart];
  const search = { ...asked, clauses };
  const { ids, endAt } = await findPage(
    {
      organizationId: asked.organizationId,
      asked: search,
      readBehind: (place, placesMax) =>
        findPlaces(reader, { ...search, after: place, limit: placesMax }, context),
      findAmong: async (among) => {
        const whole = { ...asked, clauses: [], after: undefined, limit: among.length, among };
        return new Set((await findPlaces(reader, whole, context)).map(({ id }) => id));
      },
    },
    after,
    limit,
    context,
  );
  const fitting = await runsThatFit(reader, ids, limits.runPageBytesMax);
  const runs = await readRuns(reader, ids.slice(0, fitting), context);
  return { runs, next: endAt(fitting) };
}

/**
 * Finds the places of a page. The database searches and sorts the runs whose columns have all the
 * values needed. The others, recorded natively in part, are compared here, and both lists are
 * merged.
 */
export async function findPlaces(
  reader: Reader,
  search: Search,
  context: PointsReader,
): Promise<SearchPosition[]> {
  const statement = searchStatement(reader, search);
  if (statement === undefined) return placesCompared(reader, search, "", context);
  const { sql, values, wholeWhere } = statement;
  const rows = await reader.composed<Parameters<typeof positionOf>[0]>(sql, ...values);
  const found = rows.map((row) => positionOf(row, search.clauses));
  if (wholeWhere === "") return found;
  const others = await placesCompared(reader, search, `NOT (${wholeWhere})`, context);
  if (others.length === 0) return found;
  const all = [...found, ...others];
  return all
    .sort((one, other) => comparePositions(one, other, search.clauses))
    .slice(0, search.limit);
}
