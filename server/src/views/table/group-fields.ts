import type { Field, GroupValue } from "@lossless/protocol";
import { fieldText, fieldType, parseField } from "@lossless/protocol/query-field";
import { ServiceError } from "../../ground/errors.ts";
import type { FolderOrder } from "./folder-order.ts";
import type { SearchedGroup } from "./group-set.ts";
import { readWords } from "./read-words.ts";

/** Parses the fields by which experiments are grouped. Throws `bad_request`. */
export function groupFieldsOf(by: readonly string[], where = "by"): Field[] {
  return by.map((text, at) => {
    const field = readWords(`${where}[${at}]`, () => parseField(text));
    if (mayGroup(field)) return field;
    throw new ServiceError(
      "bad_request",
      `${where}[${at}]: ${fieldText(field)} has as many values as there are experiments. Group by a field of meta, or by ` +
        "slug, id, name, status, state, attempts, folder, tag, group, commit, description or error.",
    );
  });
}

function mayGroup(field: Field): boolean {
  if (field.kind === "metric") return false;
  if (field.kind === "meta") return true;
  const isMoment = ["time", "duration"].includes(fieldType(field));
  return !isMoment && field.name !== "points" && field.name !== "artifact";
}

/** Checks the values of a group, and finds the folder with the path among them. */
export function searchedGroup(
  fields: readonly Field[],
  values: readonly GroupValue[],
  folders: FolderOrder | undefined,
): SearchedGroup {
  if (values.length !== fields.length)
    throw new ServiceError("bad_request", "group: `values` needs one for each field of `by`.");
  const found = fields.map((field, at) => {
    const { kind, text } = values[at];
    const isFolder = field.kind === "own" && field.name === "folder" && kind !== "none";
    if (!isFolder) return values[at];
    return { kind, text: folders!.ids.find((id) => folders!.pathOf(id) === text) ?? "" };
  });
  return { fields, values: found };
}
