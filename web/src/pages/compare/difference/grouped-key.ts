import { groupingOf, groupingText } from "../../../chart/view.ts";

/** Whether curves are grouped by a key: `group` lists keys, or all but those after a hyphen. */
export function isGroupedBy(group: string | undefined, field: string): boolean {
  const grouping = groupingOf(group);
  if (grouping === undefined) return false;
  return grouping.keys.includes(field) === (grouping.kind === "by");
}

/** The grouping with the key added, or removed if present. */
export function groupedWith(group: string | undefined, field: string): string {
  const { kind, keys } = groupingOf(group) ?? { kind: "by", keys: [] };
  const others = keys.filter((each) => each !== field);
  const changed = others.length < keys.length ? others : [...keys, field];
  return changed.length === 0 ? "" : groupingText({ kind, keys: changed });
}
