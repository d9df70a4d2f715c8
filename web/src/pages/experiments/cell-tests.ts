import { limits } from "@lossless/protocol/limits";
import { ownFields } from "@lossless/protocol/query-field";
import { valueText } from "@lossless/protocol/query-value";
import { type CellValue, tagsOf } from "./cell-text.ts";
import type { Column } from "./columns.ts";

/** Tests of the query language that fit a cell, most likely wanted first. */
export function cellTests(column: Column, value: CellValue): string[] {
  const { field, kind } = column;
  if (value === null) return kind.kind === "own" ? [] : [field, `not ${field}`];
  const tags = tagsOf(column, value);
  if (tags !== undefined) return tags.map((tag) => `${field} = ${spelled(tag)}`);
  const type = kind.kind === "own" ? ownFields[kind.name] : kind.kind;
  if (type === "time" || type === "duration") return [];
  if (typeof value === "number")
    return ["=", "<=", ">="].map((operator) => `${field} ${operator} ${value}`);
  if (kind.kind === "metric") return [`${field} = ${String(value).replace("Infinity", "inf")}`];
  const text = String(value);
  // A text that was cut is not the value.
  if (text.length >= limits.tableTextCharactersMax) return [];
  const word = typeof value === "string" ? spelled(text) : text;
  return [`${field} = ${word}`, `${field} != ${word}`];
}

function spelled(text: string): string {
  return valueText({ kind: "text", text });
}
