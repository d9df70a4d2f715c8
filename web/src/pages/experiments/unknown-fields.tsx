import type { TableReply } from "@lossless/protocol";
import { fieldText, parseField } from "@lossless/protocol/query-field";
import { Meant } from "../../parts/meant.tsx";
import type { Address } from "./use-address.ts";
import { withField } from "./with-field.ts";

interface Props {
  /** Only a table with columns shows others. */
  address: Pick<Address, "query" | "search"> & Partial<Pick<Address, "show">>;
  columns: readonly string[];
  unknown: TableReply["unknown"];
}

/**
 * Fields of the query and of the columns that no experiment has; a click replaces one by an
 * existing field.
 */
export function UnknownFields({ address, columns, unknown = [] }: Props) {
  const { query } = address;
  const isColumn = (column: string, field: string) => spelled(column) === field;
  const replace = (field: string, other: string) => {
    const next = withField(query, field, other);
    if (next !== query) address.search(next);
    if (!columns.some((column) => isColumn(column, field))) return;
    const replaced = columns.map((column) => (isColumn(column, field) ? other : column));
    address.show?.([...new Set(replaced)], columns);
  };
  // The step below an extreme is a field by itself, which nobody named.
  const named = unknown.filter(
    ({ field }) =>
      columns.some((column) => isColumn(column, field)) || withField(query, field, "") !== query,
  );
  return named.map(({ field, near }) => (
    <p class="unknown" role="status" key={field}>
      No experiment has <bdi>{field}</bdi>.{" "}
      <Meant names={near} onChoose={(name) => replace(field, name)} />
    </p>
  ));
}

/** A column in the language's spelling; undefined: it is no field. */
function spelled(column: string): string | undefined {
  try {
    return fieldText(parseField(column));
  } catch {
    return undefined;
  }
}
