import { limits } from "@lossless/protocol/limits";
import { readQuery, type Query } from "@lossless/protocol/query-language";
import { queryText } from "@lossless/protocol/query-text";
import { parseSort, type SortField } from "@lossless/protocol/query-list";
import { QueryError } from "@lossless/protocol/query-error";

/** Beyond a hundred lines nobody tells them apart. */
export const comparedMax = 100;

/** What is compared: experiments that are named, or the first ones that a query finds. */
export type Asked =
  | { kind: "ids"; ids: readonly string[] }
  | { kind: "query"; query: string; sort: readonly SortField[]; folder: string | undefined };

export interface CompareAddress {
  /** Undefined: nothing was chosen to be compared. */
  asked: Asked | undefined;
  hidden: ReadonlySet<string>;
  /** The experiment that others are compared with; undefined: nobody chose one. */
  reference: string | undefined;
}

type Parameter = (name: "e" | "q" | "sort" | "folder" | "hide" | "ref") => string | undefined;

export function readCompareAddress(parameter: Parameter): CompareAddress {
  return {
    asked: askedIn(parameter),
    hidden: new Set(idsIn(parameter("hide"))),
    reference: parameter("ref"),
  };
}

function askedIn(parameter: Parameter): Asked | undefined {
  const ids = idsIn(parameter("e"));
  if (ids.length > 0) return { kind: "ids", ids };
  const [query, sort, folder] = [parameter("q"), parameter("sort"), parameter("folder")];
  if (query === undefined && sort === undefined && folder === undefined) return undefined;
  return { kind: "query", query: query ?? "", sort: sortIn(sort), folder };
}

function idsIn(text: string | undefined): string[] {
  return [...new Set((text ?? "").split(",").filter((id) => id !== ""))];
}

const defaultSort = "created desc";

function sortIn(text: string | undefined): SortField[] {
  try {
    return parseSort(text ?? defaultSort);
  } catch (error) {
    if (error instanceof QueryError) return parseSort(defaultSort);
    throw error;
  }
}

/** The address of a comparison of these experiments. */
export function compareAddress(ids: Iterable<string>): string {
  return `/compare?${new URLSearchParams({ e: [...ids].join(",") }).toString()}`;
}

/** The address of a comparison of what a query finds, in an order. */
export function compareQueryAddress(query: string, sort: string, folder?: string): string {
  const parameters = new URLSearchParams({ ...(query !== "" && { q: query }), sort });
  if (folder !== undefined) parameters.set("folder", folder);
  return `/compare?${parameters.toString()}`;
}

/** What the service is asked for: ids are a query, too. */
export function questionOf(asked: Asked) {
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

/** No id that the service gave is longer: a longer one names nothing. */
function namedIds(ids: readonly string[]): string[] {
  return ids.filter((id) => id.length <= limits.assignedIdCharactersMax);
}

const idField = { kind: "own", name: "id" } as const;
const textOf = (text: string) => ({ kind: "text", text }) as const;

function idQuery(ids: readonly string[]): string {
  return queryText({ kind: "in", field: idField, values: ids.map(textOf) });
}

/** The same query without one of the experiments that it finds: all left out are one test of it. */
export function queryWithout(query: string, id: string): string {
  const { query: known } = readQuery(query);
  const parts = known?.kind === "and" ? known.parts : known === undefined ? [] : [known];
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
