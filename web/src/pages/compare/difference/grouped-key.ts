import { parseColumns } from "@lossless/protocol/query-list";

/** Whether curves are grouped by a key: `group` lists keys, or after a - all others. */
export function isGroupedBy(group: string | undefined, field: string): boolean {
  if (group === undefined || group === "") return false;
  return group.startsWith("-")
    ? !fieldsIn(group.slice(1)).includes(field)
    : fieldsIn(group).includes(field);
}

/** The grouping with the key added, or removed if present. */
export function groupedWith(group: string | undefined, field: string): string {
  const isInverse = group?.startsWith("-") === true;
  const fields = fieldsIn(isInverse ? group.slice(1) : (group ?? ""));
  const others = fields.filter((each) => each !== field);
  const changed = others.length < fields.length ? others : [...fields, field];
  return changed.length === 0 ? "" : `${isInverse ? "-" : ""}${changed.join(",")}`;
}

function fieldsIn(text: string): string[] {
  try {
    return parseColumns(text);
  } catch {
    return [];
  }
}
