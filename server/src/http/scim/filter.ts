import { limits } from "@lossless/protocol/limits";
import { scimError } from "./message.ts";

/** The query of a list. */
interface ListQuery {
  filter?: string | undefined;
  startIndex?: string | undefined;
  count?: string | undefined;
}

export interface ListQuestion<By extends string> {
  filter: { by: By; value: string } | null;
  offset: number;
  limit: number;
}

/**
 * Reads the query of a list; `fields` are the attributes that a filter may compare, in their
 * spelling.
 */
export function listQuestion<By extends string>(
  { filter, startIndex, count }: ListQuery,
  fields: readonly By[],
): ListQuestion<By> {
  return {
    filter: filter === undefined || filter.trim() === "" ? null : readFilter(filter, fields),
    // Values below the minimum count as the minimum (RFC 7644 3.4.2.4).
    offset: Math.max(1, integer("startIndex", startIndex ?? "1")) - 1,
    limit: Math.min(limits.scimPageMax, Math.max(0, integer("count", count ?? "200"))),
  };
}

function integer(name: string, text: string): number {
  if (/^-?\d{1,9}$/.test(text)) return Number(text);
  throw scimError("invalidValue", `${name} must be a whole number.`);
}

/** Reads the one comparison that providers send: `userName eq "ada@acme.test"`. */
function readFilter<By extends string>(
  filter: string,
  fields: readonly By[],
): { by: By; value: string } {
  const [, path = "", operator = "", written = ""] =
    /^\s*(?:urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):)?([\w.]+)\s+(\w+)\s+("(?:[^"\\]|\\.)*")\s*$/i.exec(
      filter,
    ) ?? [];
  const by = fields.find((field) => field.toLowerCase() === path.toLowerCase());
  const value = textIn(written);
  if (by !== undefined && operator.toLowerCase() === "eq" && value !== undefined)
    return { by, value };
  const known = fields.map((field) => `${field} eq "…"`).join(", ");
  throw scimError("invalidFilter", `A filter is one of ${known}.`);
}

/** Returns the value of a comparison, a JSON text. */
function textIn(written: string): string | undefined {
  try {
    const value: unknown = JSON.parse(written);
    return typeof value === "string" && !value.includes("\0") ? value : undefined;
  } catch {
    return undefined;
  }
}
