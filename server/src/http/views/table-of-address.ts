import { endpoints, QueryError, type SavedView } from "@lossless/protocol";
import { parseColumns, parseSort } from "@lossless/protocol/query-list";

/**
 * Returns the state of the table of experiments at an address of it; null for an address of another
 * page.
 */
export function tableOfAddress(address: string): SavedView["table"] {
  const url = new URL(address, "http://own.invalid");
  if (url.pathname !== endpoints.experimentsPage.path) return null;
  const text = (name: string) => url.searchParams.get(name) ?? "";
  return {
    query: text("q"),
    folderId: url.searchParams.get("folder"),
    sort: listed(parseSort, text("sort")),
    columns: listed(parseColumns, text("cols")),
  };
}

/** Unreadable parts are left out, as the page does. */
function listed<Item>(parse: (text: string) => Item[], text: string): Item[] {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof QueryError) return [];
    throw error;
  }
}
