import type { LineLook } from "../lines/looks.ts";
import { keyName } from "./keys.ts";

/**
 * The name of a group: its values alone. Their keys are those of all groups, and are told once
 * beside the names.
 */
export function groupName(keys: readonly string[], values: readonly string[]): GroupName {
  if (keys.length === 0) return { name: "all", whole: "" };
  const names = keys.map(keyName);
  const texts = values.map((value) => (value === "" ? '""' : value));
  return {
    name: texts.join(", "),
    whole: texts.map((text, at) => `${names[at]}=${text}`).join(" "),
    keys: names.join(", "),
  };
}

interface GroupName {
  name: string;
  /** The name with its keys, by which a group keeps its colour. */
  whole: string;
  keys?: string;
}

/** The name of a group as looks have it. */
export function lookOfGroup({ name, whole, keys }: GroupName): Omit<LineLook, "kind"> {
  return { name, ...(keys !== undefined && { group: { keys, whole } }) };
}
