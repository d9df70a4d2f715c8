import type { LoggedFile } from "@lossless/client";
import { useContext, useMemo, useRef, useState } from "preact/hooks";
import { countedText, countText } from "../../parts/words.ts";
import { type LoggedTable, tableOf } from "../plots/table-json.ts";
import { FilesContext, isShown } from "../use-file.ts";
import { useIsWhole, useNear } from "../use-near.ts";
import { FileNote, TooLarge } from "./file-note.tsx";
import { PictureView } from "./picture.tsx";
import { cellText, foundRows, mediaOf, nextOrder, type RowOrder } from "./table-rows.ts";
import { useJson } from "./use-json.ts";

/** Rows shown at first, and at a time later; columns at most, and characters of a cell. */
const [rowsUsual, rowsAtOnce, columnsMax, cellCharactersMax] = [50, 200, 50, 300];

/** A table that a run has logged. */
export function TableView({ file, label }: { file: LoggedFile; label: string }) {
  const place = useRef<HTMLDivElement>(null);
  const isNear = useNear(place, 300);
  const { json, isCurrent, problem } = useJson(isNear ? file : undefined);
  const table = useMemo(() => tableOf(json), [json]);
  return (
    <div class="media-table" ref={place} aria-busy={isNear && isShown(file) && !isCurrent}>
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
  const [wanted, setWanted] = useState(useContext(FilesContext)!.rowsAtOnce ?? rowsUsual);
  const shown = Math.max(wanted, useIsWhole() ? rowsAtOnce : 0);
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
        {found.length > shown && (
          <span class="only-whole">, the first {countText(shown)} of them here</span>
        )}
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
        <button type="button" onClick={() => setWanted(shown + rowsAtOnce)}>
          show {countText(Math.min(rowsAtOnce, found.length - shown))} more rows
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

/** The content of a cell: a text, or a picture of the version of its table's file. */
export function Cell({ cell, file }: { cell: unknown; file: LoggedFile }) {
  const media = mediaOf(cell);
  if (media?.kind === "image") {
    const { path, caption = path } = media;
    return <PictureView file={{ ...file, path, bytes: null }} label={caption} isAmongOthers />;
  }
  const text = cellText(cell);
  const isLong = text.length > cellCharactersMax;
  return <>{isLong ? `${text.slice(0, cellCharactersMax)}…` : text}</>;
}
