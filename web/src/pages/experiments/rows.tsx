import type { EditReply } from "@lossless/client";
import type { TableRow } from "@lossless/protocol";
import { useCallback, useMemo, useState } from "preact/hooks";
import { copied } from "../../parts/copy.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { countText } from "../../parts/words.ts";
import { mayWrite } from "../../rights.ts";
import type { Service } from "../../signed-in.ts";
import { cellOf, tagsOf } from "./cell-text.ts";
import { movedColumn } from "./column-widths.ts";
import { type Column, columnsOf, sortedColumn } from "./columns.ts";
import { equalColumns } from "./equal-columns.ts";
import { type CellPosition, fixedColumns } from "./grid-keys.ts";
import type { GridProps } from "./grid-props.ts";
import { offeredFields } from "./offered-columns.ts";
import { Grid } from "./grid.tsx";
import { tagWidths } from "./tag-width.ts";
import { useAdded } from "./use-added.ts";
import type { Address } from "./use-address.ts";
import { useMarks } from "./use-marks.ts";
import type { Question, TablePages, TableQuestion } from "./use-table.ts";
import { withTest } from "./with-test.ts";
import { withWritten, type WrittenMetas } from "./written-metas.ts";

interface Props extends Pick<GridProps, "history" | "onOpen" | "onColour"> {
  service: Service;
  address: Address;
  shown: TableQuestion;
  /** The fields of the columns, in their order. */
  shownColumns: readonly string[];
  /** The fields among the offered ones of the question that have a column. */
  offeredShown: readonly string[];
  written: WrittenMetas;
  /** Receives a sentence about a change, and the reply to an edit. */
  onChanged: (words: string | undefined, reply?: EditReply) => void;
}

/** The rows found, what is equal in all of them, and the baseline. */
export function Rows(props: Props) {
  const { service, address, shown, shownColumns, offeredShown, written, history } = props;
  const { onOpen, onColour } = props;
  const { pages, question } = shown;
  const asked = question.body.columns ?? [];
  const rows = withWritten(pages.rows.value, written, asked);
  const columns = useMemo(
    () => shaped(columnsOf(asked.slice(0, question.drawn)), rows),
    [question, rows],
  );
  const marks = useMarks(service, address, shown, columns);
  const total = pages.total.value ?? 0;
  const leftOut = leftOutOf(question, offeredShown);
  const equal = equalShown(columns, pages.isWhole ? [...rows.values()] : [], leftOut);
  const drawn = columns.filter((column) => !equal.has(column) && !leftOut.has(column.field));
  const valuePlaces = drawn.map((column) => columns.indexOf(column));
  const show = useCallback((first: number, last: number) => pages.show(first, last), [pages]);
  const added = useAdded(shownColumns, !address.isUsual);
  const actions = useActions(props, rows, drawn, valuePlaces);
  return (
    <>
      <EqualLine equal={toldOf(equal, address, rows)} total={total} />
      {address.baseline !== undefined && (
        <BaselineLine row={marks.baseline} onRemove={() => address.compareWith(undefined)} />
      )}
      <Grid
        columns={drawn.map((column) => inAddress(column, address, shownColumns))}
        added={added}
        nameWidth={address.widths[0]}
        valuePlaces={valuePlaces}
        stepPlaces={drawn.map(({ step }) => (step === undefined ? -1 : asked.indexOf(step)))}
        question={JSON.stringify({ ...question.body, columns: undefined })}
        total={total}
        rows={rows}
        marks={marks}
        sort={address.sort}
        selected={address.selected}
        history={history}
        renaming={actions.renaming}
        onRename={actions.rename}
        onMenu={actions.open}
        onColour={onColour}
        onShow={show}
        onSort={address.sortBy}
        onMove={(field, target) =>
          address.show(movedColumn(shownColumns, field, target), shownColumns)
        }
        onResize={(field, rem) => address.resize(shownColumns, field, rem)}
        onTick={address.tick}
        onFind={(test) => address.search(withTest(address.query, test))}
        onOpen={onOpen}
      />
      {actions.menu}
      {total === 0 && (
        <div class="nothing">
          <p>No experiments found.</p>
          {address.query !== "" && (
            <>
              <Loaded load={loadWhy} props={{ service, address }} />
              <button type="button" onClick={() => address.search("")}>
                clear the query
              </button>
            </>
          )}
        </div>
      )}
    </>
  );
}

/** A column with what the address says about it: the sort, and a chosen width. */
function inAddress(column: Column, { sort, widths }: Address, shown: readonly string[]): Column {
  const isSorted = sort.some(({ field }) => field === column.field);
  const chosenWidth = widths[shown.indexOf(column.field) + 1 || -1];
  return { ...(isSorted ? sortedColumn(column) : column), chosenWidth };
}

/** The columns with one value in all rows, but for those that are left out. */
function equalShown(
  columns: readonly Column[],
  rows: readonly TableRow[],
  leftOut: ReadonlySet<string>,
): ReturnType<typeof equalColumns> {
  const equal = equalColumns(columns, rows);
  for (const column of columns) if (leftOut.has(column.field)) equal.delete(column);
  return equal;
}

/** The offered fields of a question without a column. */
function leftOutOf({ offered }: Question, shown: readonly string[]): ReadonlySet<string> {
  const all = offered === undefined ? [] : offeredFields(offered);
  return new Set(all).difference(new Set(shown));
}

/** The menu of a cell and the renaming of a row, whose scripts load when they are first used. */
function useActions(
  { service, address, onOpen, onColour, onChanged }: Props,
  rows: ReadonlyMap<number, TableRow>,
  columns: readonly Column[],
  valuePlaces: readonly number[],
) {
  const [opened, setOpened] = useState<{ cell: CellPosition; anchor: DOMRect }>();
  const [renamed, setRenamed] = useState<string>();
  const isWriter = mayWrite(service);
  const row = opened && rows.get(opened.cell.row);
  const at = opened === undefined ? -1 : opened.cell.column - fixedColumns;
  const renamedRow = [...rows.values()].find(({ experimentId }) => experimentId === renamed);
  const done = (words: string | undefined, reply?: EditReply) => {
    setRenamed(undefined);
    onChanged(words, reply);
    focusGrid();
  };
  return {
    rename: isWriter ? (place: number) => setRenamed(rows.get(place)?.experimentId) : undefined,
    open: (cell: CellPosition, anchor: DOMRect) => setOpened({ cell, anchor }),
    renaming: renamedRow && {
      experimentId: renamedRow.experimentId,
      field: <Loaded load={loadRename} props={{ service, row: renamedRow, onDone: done }} />,
    },
    menu: opened !== undefined && row !== undefined && (
      <Loaded
        load={loadMenu}
        props={{
          row,
          column: columns[at],
          value: row.values[valuePlaces[at]] ?? null,
          address,
          onOpen,
          onRename: isWriter ? setRenamed : undefined,
          onColour,
          onCopy: (text) =>
            void copied(text).then((isCopied) => onChanged(isCopied ? "copied" : "could not copy")),
          anchor: opened.anchor,
          onClose: (isReturned) => {
            setOpened(undefined);
            if (isReturned) focusGrid();
          },
        }}
      />
    ),
  };
}

const loadWhy = () => import("./why-nothing.tsx").then(({ WhyNothing }) => WhyNothing);
const loadRename = () => import("./cell-actions.ts").then(({ RenameField }) => RenameField);
const loadMenu = () => import("./cell-actions.ts").then(({ CellMenu }) => CellMenu);

function focusGrid(): void {
  document.querySelector<HTMLElement>(".results [role=grid]")?.focus({ preventScroll: true });
}

/** Common values that are worth a line: neither the chosen folder, nor that there is none. */
function toldOf(
  equal: ReturnType<typeof equalColumns>,
  { folder }: Address,
  rows: ReadonlyMap<number, TableRow>,
): ReturnType<typeof equalColumns> {
  const folderId = rows.get(0)?.folderId ?? undefined;
  const isTold = ({ field }: Column) =>
    field !== "folder" || (folderId !== undefined && folderId !== folder);
  return new Map([...equal].filter(([column]) => isTold(column)));
}

function EqualLine({ equal, total }: { equal: ReturnType<typeof equalColumns>; total: number }) {
  if (equal.size === 0) return null;
  return (
    <p class="equal">
      <span class="soft">
        equal in {total === 1 ? "the one row" : `all ${countText(total)} rows`}:
      </span>{" "}
      {[...equal].map(([column, value]) => (
        <span key={column.field}>
          <bdi>{`${column.title} ${column.detail}`.trim()}</bdi>{" "}
          <b>{cellOf(column, value, Date.now()).text}</b>
        </span>
      ))}
    </p>
  );
}

function BaselineLine({ row, onRemove }: { row: TableRow | undefined; onRemove: () => void }) {
  return (
    <p class="equal baseline">
      <span>
        <span class="soft">differences to the baseline</span>{" "}
        <b>
          <bdi>{row === undefined ? "…" : (row.name ?? row.slug)}</bdi>
        </b>{" "}
        <button type="button" class="quiet" onClick={onRemove}>
          remove the baseline
        </button>
      </span>
    </p>
  );
}

/**
 * The columns as their values need them, once these are read: those of tags are as wide as the
 * tags, and those of meta that have numbers are aligned at the right.
 */
function shaped(columns: readonly Column[], rows: TablePages["rows"]["value"]): Column[] {
  return columns.map((column, at) => {
    const values = [...rows.values()].map((row) => row.values[at]);
    const tags = values.map((value) => tagsOf(column, value ?? null));
    if (tags.some((each) => each !== undefined))
      return { ...column, ...tagWidths(tags.map((each) => each ?? [])) };
    if (column.kind.kind !== "meta") return column;
    const types = new Set(values.map((value) => typeof value));
    types.delete("object");
    return { ...column, isNumber: types.size === 1 && types.has("number") };
  });
}
