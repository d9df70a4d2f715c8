import { limits } from "@lossless/protocol/limits";
import { readQuery, type Query } from "@lossless/protocol/query-language";
import { queryText } from "@lossless/protocol/query-text";
import { parseSort, type SortField } from "@lossless/protocol/query-list";
import { QueryError } from "@lossless/protocol/query-error";
import type { Found } from "../../chart/groups/found-groups.ts";
import type { LiveQuery } from "../../saved/chart-block.ts";
import { defaultSort, sortText } from "../experiments/table-address.ts";

/** Experiments compared at most: more lines cannot be told apart. */
export const comparedMax = 100;

/** The compared experiments: named ones, or the first that a query finds. */
export type Selection =
  | { kind: "ids"; ids: readonly string[] }
  | { kind: "query"; query: string; sort: readonly SortField[]; folder: string | undefined };

export interface CompareAddress {
  /** Undefined: none were chosen. */
  asked: Selection | undefined;
  hidden: ReadonlySet<string>;
  /** The reference experiment, as chosen; undefined: none was. */
  reference: string | undefined;
  /** Two groups made by hand. */
  marked: ReadonlyMap<string, Mark>;
}

export type Mark = "a" | "b";

type ParameterName = "e" | "q" | "sort" | "folder" | "hide" | "ref" | Mark;
type Parameter = (name: ParameterName) => string | undefined;

export function readCompareAddress(parameter: Parameter): CompareAddress {
  return {
    asked: askedIn(parameter),
    hidden: new Set(idsIn(parameter("hide"))),
    reference: parameter("ref"),
    marked: new Map(
      (["b", "a"] as const).flatMap((mark) => idsIn(parameter(mark)).map((id) => [id, mark])),
    ),
  };
}

/** The parameters of two groups. */
export function markedParameters(marked: ReadonlyMap<string, Mark>): Record<Mark, string> {
  const ids = (wanted: Mark) => [...marked].flatMap(([id, mark]) => (mark === wanted ? [id] : []));
  return { a: ids("a").join(","), b: ids("b").join(",") };
}

function askedIn(parameter: Parameter): Selection | undefined {
  const ids = idsIn(parameter("e"));
  if (ids.length > 0) return { kind: "ids", ids };
  const [query, sort, folder] = [parameter("q"), parameter("sort"), parameter("folder")];
  if (query === undefined && sort === undefined && folder === undefined) return undefined;
  return { kind: "query", query: query ?? "", sort: sortIn(sort), folder };
}

function idsIn(text: string | undefined): string[] {
  return [...new Set((text ?? "").split(",").filter((id) => id !== ""))];
}

/** Parses the order; a text that is no list of fields counts as none. */
export function sortIn(text: string | undefined): SortField[] {
  try {
    const sort = parseSort(text ?? "");
    return sort.length > 0 ? sort : parseSort(defaultSort);
  } catch (error) {
    if (error instanceof QueryError) return parseSort(defaultSort);
    throw error;
  }
}

/** Address of a comparison of these experiments. */
export function compareAddress(ids: Iterable<string>): string {
  return `/compare?${new URLSearchParams({ e: [...ids].join(",") }).toString()}`;
}

/** Address of a comparison of what a query finds, in an order. */
export function compareQueryAddress(query: string, sort: string, folder?: string): string {
  const parameters = new URLSearchParams({ ...(query !== "" && { q: query }), sort });
  if (folder !== undefined) parameters.set("folder", folder);
  return `/compare?${parameters.toString()}`;
}

/**
 * All that is found, without hidden experiments; undefined for a part of it that no query tells
 * apart.
 */
export function foundBy(
  { asked }: Pick<CompareAddress, "asked">,
  experiments: readonly { experimentId: string; isHidden: boolean }[],
  live: LiveQuery | undefined,
  part: string,
): Found | undefined {
  if (live !== undefined) return { query: live.query, folderId: live.folderId };
  if (asked?.kind !== "ids" || part !== "") return undefined;
  const hidden = new Set(experiments.flatMap((one) => (one.isHidden ? one.experimentId : [])));
  return { experimentIds: namedIds(asked.ids).filter((id) => !hidden.has(id)) };
}

/** The query for a report; experiments hidden here are excluded from it. */
export function liveQuery(
  { asked }: Pick<CompareAddress, "asked">,
  experiments: readonly { experimentId: string; isHidden: boolean }[],
): LiveQuery | undefined {
  if (asked?.kind !== "query") return undefined;
  const hidden = experiments.filter(({ isHidden }) => isHidden);
  const sort = sortText(asked.sort);
  return {
    query: hidden.reduce(
      (query, { experimentId }) => queryWithout(query, experimentId),
      asked.query,
    ),
    ...(asked.folder !== undefined && { folderId: asked.folder }),
    ...(sort !== defaultSort && { sort }),
  };
}

/** The query with a further test; undefined where there is no such test. */
export function liveWith(
  live: LiveQuery | undefined,
  test: string | undefined,
): LiveQuery | undefined {
  if (live === undefined || test === undefined) return undefined;
  return { ...live, query: queryWith(live.query, test) };
}

/** The question to the service: ids become a query, too. */
export function questionOf(asked: Selection) {
  if (asked.kind === "query") {
    const { query, sort, folder } = asked;
    return {
      ...(query.trim() !== "" && { query }),
      ...(folder !== undefined && { folderId: folder }),
      sort: [...sort],
      limit: comparedMax,
    };
  }
  const known = namedIds(asked.ids).slice(0, comparedMax);
  return { query: idQuery(known.length > 0 ? known : [""]), limit: comparedMax };
}

/** The ids that may exist: longer ones than the service assigns name nothing. */
function namedIds(ids: readonly string[]): string[] {
  return ids.filter((id) => id.length <= limits.assignedIdCharactersMax);
}

const idField = { kind: "own", name: "id" } as const;
const textOf = (text: string) => ({ kind: "text", text }) as const;

export function idQuery(ids: readonly string[]): string {
  return queryText({ kind: "in", field: idField, values: ids.map(textOf) });
}

/** The ids of a query that only names experiments; undefined: it is another one. */
export function idsOfQuery(text: string): string[] | undefined {
  const query = text.trim() === "" ? undefined : readQuery(text).query;
  if (query === undefined || !("field" in query)) return undefined;
  const { field } = query;
  if (field.kind !== "own" || field.name !== "id") return undefined;
  if (query.kind !== "in" && !(query.kind === "compare" && query.operator === "="))
    return undefined;
  const values = query.kind === "in" ? query.values : [query.value];
  return values.flatMap((value) => (value.kind === "text" ? [value.text] : []));
}

/** The sort field, if the compared experiments are sorted by this field first. */
export function sortOf(asked: Selection | undefined, field: string): SortField | undefined {
  const first = asked?.kind === "query" ? asked.sort[0] : undefined;
  return first?.field === field ? first : undefined;
}

/** Sorts the compared experiments by a field; the second time in reverse. */
export function sortedParameters({ asked, reference }: CompareAddress, field: string) {
  const isTurned = sortOf(asked, field)?.descending === false;
  return {
    ...queryParameters(asked),
    sort: `${field}${isTurned ? " desc" : ""}`,
    ...(reference !== undefined && { ref: reference }),
  };
}

/** Keeps only compared experiments that pass a further test. */
export function filteredParameters({ asked }: CompareAddress, test: string) {
  const parameters = queryParameters(asked);
  return { ...parameters, q: queryWith(parameters.q ?? "", test) };
}

/** Adds a test to a query, unless it has it already. */
function queryWith(query: string, test: string): string {
  const parts = partsOf(query);
  const { query: added } = readQuery(test);
  if (added === undefined || parts.some((part) => queryText(part) === test)) return query;
  return queryText({ kind: "and", parts: [...parts, added] });
}

/** The parameters of the compared experiments as a query, also for ids. */
function queryParameters(asked: Selection | undefined): { e: undefined; q: string | undefined } {
  return { e: undefined, q: asked && questionOf(asked).query };
}

function partsOf(query: string): readonly Query[] {
  const { query: known } = readQuery(query);
  if (known === undefined) return [];
  return known.kind === "and" ? known.parts : [known];
}

/** A query without its tests that exclude experiments, and how many these are. */
export function withoutExclusions(query: string): { rest: string; excluded: number } {
  const parts = partsOf(query);
  const excluded = parts.filter(isExclusion).flatMap(({ part }) => part.values).length;
  if (excluded === 0) return { rest: query.trim(), excluded };
  const others = parts.filter((part) => !isExclusion(part));
  return { rest: queryText({ kind: "and", parts: others }), excluded };
}

/** Excludes an experiment from a query: all exclusions are one test of it. */
export function queryWithout(query: string, id: string): string {
  const parts = partsOf(query);
  const before = parts.find(isExclusion);
  const values = [...(before === undefined ? [] : before.part.values), textOf(id)];
  const exclusion: Exclusion = { kind: "not", part: { kind: "in", field: idField, values } };
  return queryText({ kind: "and", parts: [...parts.filter((part) => part !== before), exclusion] });
}

type Exclusion = { kind: "not"; part: Extract<Query, { kind: "in" }> };

function isExclusion(part: Query): part is Exclusion {
  if (part.kind !== "not" || part.part.kind !== "in") return false;
  const { field } = part.part;
  return field.kind === "own" && field.name === "id";
}
