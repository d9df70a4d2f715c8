import type { EditReply } from "@lossless/client";
import type { TableReply, TableRow } from "@lossless/protocol";
import { parseField } from "@lossless/protocol/query-field";
import { useEffect, useState } from "preact/hooks";
import { chosenColour } from "../../chart/lines/colours.ts";
import type { CellValue } from "./cell-text.ts";

export type WrittenMetas = ReadonlyMap<string, Pick<EditReply, "meta" | "updatedAtMs">>;

/**
 * Metas that this page has edited, until the table has them: metas follow edits some seconds
 * behind.
 */
export function useWrittenMetas(reply: TableReply | undefined) {
  const [written, setWritten] = useState<WrittenMetas>(new Map());
  useEffect(() => {
    if (reply === undefined || written.size === 0) return;
    const isCurrent = (atMs: number) => reply.behind === 0 || reply.asOfMs > atMs;
    const late = [...written].filter(([, { updatedAtMs }]) => !isCurrent(updatedAtMs));
    if (late.length < written.size) setWritten(new Map(late));
  }, [reply]);
  const add = (replies: readonly EditReply[]) =>
    setWritten(
      (before) => new Map([...before, ...replies.map((one) => [one.experimentId, one] as const)]),
    );
  return { written, add };
}

/** The rows with the edited metas in their names and in the columns of metas. */
export function withWritten(
  rows: ReadonlyMap<number, TableRow>,
  written: WrittenMetas,
  columns: readonly string[],
): ReadonlyMap<number, TableRow> {
  if (written.size === 0) return rows;
  const paths = columns.map(pathOf);
  return new Map(
    [...rows].map(([place, row]) => {
      const edited = written.get(row.experimentId);
      if (edited === undefined) return [place, row];
      const { _name: name = row.name } = edited.meta;
      const values = row.values.map((value, at) =>
        paths[at] === undefined ? value : cellAt(edited.meta, paths[at]),
      );
      const now = { ...row, values, ...(typeof name === "string" && { name }) };
      return [place, withColour(now, chosenColour(edited.meta))];
    }),
  );
}

/** A row with the colour that an edit gave it; undefined: the edit took it away. */
export function withColour<Row extends TableRow>(row: Row, colour: number | undefined): Row {
  if (colour !== undefined) return { ...row, colour };
  const own = { ...row };
  delete own.colour;
  return own;
}

const ownPaths: Readonly<Record<string, readonly string[]>> = {
  tag: ["_tags"],
  name: ["_name"],
  group: ["_group"],
};

function pathOf(field: string): readonly string[] | undefined {
  const kind = parseField(field);
  if (kind.kind === "meta") return kind.path;
  return kind.kind === "own" ? ownPaths[kind.name] : undefined;
}

function cellAt(meta: unknown, path: readonly string[]): CellValue {
  let found = meta;
  for (const key of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return null;
    found = (found as Record<string, unknown>)[key];
  }
  if (found === undefined || found === null) return null;
  return typeof found === "object" ? JSON.stringify(found) : (found as CellValue);
}
