import type { EditReply } from "@lossless/client";
import type { TableRow } from "@lossless/protocol";
import { useCallback, useMemo, useState } from "preact/hooks";
import { copied } from "../../parts/copy.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { countText } from "../../parts/words.ts";
import { mayWrite } from "../../rights.ts";
import type { Service } from "../../signed-in.ts";
import { cellOf } from "./cell-text.ts";
import { movedColumn } from "./column-widths.ts";
import { type Column, columnsOf } from "./columns.ts";
import { equalColumns } from "./equal-columns.ts";
import { type CellPosition, fixedColumns } from "./grid-keys.ts";
import type { GridProps } from "./grid-props.ts";
import { Grid } from "./grid.tsx";
import type { Address } from "./use-address.ts";
import { useMarks } from "./use-marks.ts";
import type { TablePages, TableQuestion } from "./use-table.ts";
import { withTest } from "./with-test.ts";
import { withWritten, type WrittenMetas } from "./written-metas.ts";

interface Props extends Pick<GridProps, "history" | "onOpen" | "onColour"> {
  service: Service;
  address: Address;
  shown: TableQuestion;
  /** The fields of the columns, in their order. */
  shownColumns: readonly string[];
  written: WrittenMetas;
  /** Receives a sentence about a change, and the reply to an edit. */
  onChanged: (words: string | undefined, reply?: EditReply) => void;
}

/** The rows found, what is equal in all of them, and the baseline. */
export function Rows(props: Props) {
  const { service, address, shown, shownColumns, written, history, onOpen, onColour } = props;
  const { pages, question } = shown;
  const asked = question.body.columns ?? [];
  const rows = withWritten(pages.rows.value, written, asked);
  const columns = useMemo(
    () => numbersRight(columnsOf(asked.slice(0, question.drawn)), rows),
    [question, rows],
  );
  const marks = useMarks(service, address, shown, columns);
  const total = pages.total.value ?? 0;
  const equal = pages.isWhole
    ? equalColumns(columns, [...rows.values()])
    : new Map<Column, never>();
  const drawn = columns.filter((column) => !equal.has(column));
  const valuePlaces = drawn.map((column) => columns.indexOf(column));
  const show = useCallback((first: number, last: number) => pages.show(first, last), [pages]);
  const actions = useActions(props, rows, drawn, valuePlaces);
  return (
    <>
      {equal.size > 0 && <EqualLine equal={equal} total={total} />}
      {address.baseline !== undefined && (
        <BaselineLine row={marks.baseline} onRemove={() => address.compareWith(undefined)} />
      )}
      <Grid
        columns={drawn.map((column) => ({
          ...column,
          chosenWidth: address.widths[shownColumns.indexOf(column.field) + 1 || -1],
        }))}
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

function EqualLine({ equal, total }: { equal: ReturnType<typeof equalColumns>; total: number }) {
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

/** Right-aligns columns of meta that have numbers, which is known once the values are read. */
function numbersRight(columns: readonly Column[], rows: TablePages["rows"]["value"]): Column[] {
  return columns.map((column, at) => {
    if (column.kind.kind !== "meta") return column;
    const types = new Set([...rows.values()].map(({ values }) => typeof values[at]));
    types.delete("object");
    return { ...column, isNumber: types.size === 1 && types.has("number") };
  });
}
