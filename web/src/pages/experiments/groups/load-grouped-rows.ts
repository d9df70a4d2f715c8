/** Loads the grouped rows when they are first shown. */
export function loadGroupedRows() {
  return import("./grouped-rows.tsx").then(({ GroupedRows }) => GroupedRows);
}
