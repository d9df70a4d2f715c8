/** Loads the grouped rows when they are first shown. */
export function loadGroupedRows() {
  return import("./grouped-rows.tsx").then(({ GroupedRows }) => GroupedRows);
}

/** Loads the choice of their keys when it is first opened. */
export function loadRowKeys() {
  return import("./row-keys.tsx").then(({ RowKeys }) => RowKeys);
}
