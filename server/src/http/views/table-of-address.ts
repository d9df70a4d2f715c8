import { endpoints, QueryError, type SavedView } from "@lossless/protocol";
import { parseColumns, parseSort } from "@lossless/protocol/query-list";

/** What the table of experiments shows at an address of it; null for another page's. */
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

/** What nobody can read is left out, as the page does it. */
function listed<Item>(parse: (text: string) => Item[], text: string): Item[] {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof QueryError) return [];
    throw error;
  }
}
