import type { LoggedFile } from "@lossless/client";
import { useMemo, useRef, useState } from "preact/hooks";
import { countedText, countText } from "../../parts/words.ts";
import { type LoggedTable, tableOf } from "../plots/table-json.ts";
import { isShown } from "../use-file.ts";
import { useNear } from "../use-near.ts";
import { FileNote, TooLarge } from "./file-note.tsx";
import { PictureView } from "./picture.tsx";
import { cellText, foundRows, mediaOf, nextOrder, type RowOrder } from "./table-rows.ts";
import { useJson } from "./use-json.ts";

/** Rows shown at a time, columns at most, and characters of a cell. */
const [rowsAtOnce, columnsMax, cellCharactersMax] = [50, 50, 300];

/** A table that a run has logged. */
export function TableView({ file, label }: { file: LoggedFile; label: string }) {
  const place = useRef<HTMLDivElement>(null);
  const isNear = useNear(place, 300);
  const { json, isCurrent, problem } = useJson(isNear ? file : undefined);
  const table = useMemo(() => tableOf(json), [json]);
  return (
    <div class="media-table" ref={place} aria-busy={isNear && !isCurrent}>
      {!isShown(file) && <TooLarge file={file} what="Tables" />}
      {problem !== undefined && <FileNote file={file}>{problem}</FileNote>}
      {json !== undefined && table === undefined && (
        <FileNote file={file}>The file is no table.</FileNote>
      )}
      {table !== undefined && <Rows {...{ table, file, label }} />}
    </div>
  );
}

interface RowsProps {
  table: LoggedTable;
  /** The file whose version has the pictures of its cells. */
  file: LoggedFile;
  label: string;
}

export function Rows({ table, file, label }: RowsProps) {
  const [search, setSearch] = useState("");
  const [order, setOrder] = useState<RowOrder>();
  const [shown, setShown] = useState(rowsAtOnce);
  const found = useMemo(() => foundRows(table.rows, search, order), [table, search, order]);
  const columns = table.columns.slice(0, columnsMax);
  const sortText = (column: number) =>
    order?.column === column ? (order.isDescending ? "descending" : "ascending") : "none";
  return (
    <>
      <p class="count">
        <input
          type="search"
          aria-label={`Search rows of ${label}`}
          placeholder="Search rows"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />{" "}
        {countOf(table, found.length)}
      </p>
      <div class="logged-rows" tabIndex={0} role="region" aria-label={label}>
        <table>
          <thead>
            <tr>
              {columns.map((name, column) => (
                <th key={column} scope="col" aria-sort={sortText(column)}>
                  <button type="button" onClick={() => setOrder(nextOrder(order, column))}>
                    {name}
                    {order?.column === column && (
                      <span aria-hidden="true">{order.isDescending ? " ↓" : " ↑"}</span>
                    )}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {found.slice(0, shown).map((row, at) => (
              <tr key={at}>
                {columns.map((_, column) => (
                  <td key={column} class={typeof row[column] === "number" ? "number" : ""}>
                    <Cell cell={row[column]} file={file} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {found.length > shown && (
        <button type="button" onClick={() => setShown(shown + 4 * rowsAtOnce)}>
          show {countText(Math.min(4 * rowsAtOnce, found.length - shown))} more rows
        </button>
      )}
    </>
  );
}

function countOf({ rows, columns, rowsLeftOut }: LoggedTable, found: number): string {
  const parts = [
    found < rows.length
      ? `${countText(found)} of ${countedText(rows.length, "row")}`
      : countedText(rows.length, "row"),
  ];
  if (rowsLeftOut > 0) parts.push(`${countText(rowsLeftOut)} more were not recorded`);
  if (columns.length > columnsMax)
    parts.push(`the first ${columnsMax} of ${countText(columns.length)} columns`);
  return parts.join(", ");
}

function Cell({ cell, file }: { cell: unknown; file: LoggedFile }) {
  const media = mediaOf(cell);
  if (media?.kind === "image") {
    const { path, caption = path } = media;
    return <PictureView file={{ ...file, path, bytes: null }} label={caption} isAmongOthers />;
  }
  const text = cellText(cell);
  const isLong = text.length > cellCharactersMax;
  return <>{isLong ? `${text.slice(0, cellCharactersMax)}…` : text}</>;
}
