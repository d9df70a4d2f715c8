import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Swatch } from "../../chart/lines/swatch.tsx";
import { csvFile } from "../../parts/csv.ts";
import { fileName, saveFile } from "../../parts/save-file.ts";
import { countedText, countText, valueText } from "../../parts/words.ts";
import { Cell } from "../items/table.tsx";
import { cellText, foundRows, nextOrder } from "../items/table-rows.ts";
import type { MediaExperiment } from "../media-experiment.ts";
import { fulfilling } from "./conditions.ts";
import { Conditions } from "./conditions-form.tsx";
import { SheetHeads } from "./sheet-heads.tsx";
import { differentRows, differsAt } from "./joined.ts";
import type { Row, RunTable, Sheet, SheetColumn } from "./sheet.ts";
import { runKey } from "./stacked.ts";
import type { TablesView } from "./tables-address.ts";

/** Rows and columns shown at first, and more with each press. */
const [rowsAtOnce, columnsAtOnce] = [50, 60];
/** Digits of a mean that its sum did not round away. */
const meanDigits = 12;

interface Props {
  name: string;
  sheet: Sheet;
  tables: readonly RunTable[];
  experiments: readonly MediaExperiment[];
  view: TablesView;
  change: (next: TablesView, isStep?: boolean) => void;
  notes: readonly string[];
  /** How tables are shown, before the search. */
  controls: ComponentChildren;
  /** Whether newer tables are being read. */
  isBusy: boolean;
}

/** One table made of those of several experiments, with its search, order and file. */
export function SheetView(props: Props) {
  const { name, sheet, tables, view, change, notes, controls, isBusy } = props;
  const [shown, setShown] = useState(rowsAtOnce);
  const [wide, setWide] = useState(columnsAtOnce);
  const at = sheet.columns.findIndex(({ key }) => key === view.order);
  const isDescending = view.isDescending === true;
  const found = useFound(props, at);
  const columns = sheet.columns.slice(0, wide);
  const sort = (column: number) => change(sorted(sheet, view, column));
  const more = sheet.columns.length - columns.length;
  return (
    <>
      <div class="tables-choices">
        {controls}
        <input
          type="search"
          aria-label={`Search rows of ${name}`}
          placeholder="Search rows"
          value={view.search ?? ""}
          onInput={({ currentTarget: { value } }) => change({ ...view, search: value }, false)}
        />
        <button
          type="button"
          onClick={() => saveFile(fileName(name, "csv"), csvFile(csvRows(props, found)))}
        >
          CSV
        </button>
        <Conditions {...{ name, sheet, tables, view, change }} />
      </div>
      <div class="tables-sheet">
        <p class="count" role="status">
          {[`${countOf(found.length, sheet.rows.length)}.`, ...notes].join(" ")}
        </p>
        <div
          class="logged-rows together"
          tabIndex={0}
          role="region"
          aria-label={`${name} of ${countedText(props.tables.length, "run")}`}
          aria-busy={isBusy}
        >
          <table>
            <SheetHeads {...{ ...props, columns, at, isDescending, sort }} />
            <tbody>
              {found.slice(0, shown).map((row, index) => (
                <SheetRow key={index} {...{ ...props, row, columns }} />
              ))}
            </tbody>
          </table>
        </div>
        {found.length > shown && (
          <button type="button" onClick={() => setShown(shown + 4 * rowsAtOnce)}>
            show {countText(Math.min(4 * rowsAtOnce, found.length - shown))} more rows
          </button>
        )}
        {more > 0 && (
          <button type="button" onClick={() => setWide(wide + columnsAtOnce)}>
            show {countText(Math.min(columnsAtOnce, more))} more of{" "}
            {countedText(sheet.columns.length, "column")}
          </button>
        )}
      </div>
    </>
  );
}

/** The view after a click on the head of a column. */
function sorted({ columns }: Sheet, view: TablesView, column: number): TablesView {
  const { order, isDescending = false, ...rest } = view;
  const at = columns.findIndex(({ key }) => key === order);
  const next = nextOrder(at < 0 ? undefined : { column: at, isDescending }, column);
  return next === undefined
    ? rest
    : { ...rest, order: columns[column].key, isDescending: next.isDescending };
}

/** The rows that are searched for, in the order of a column. */
function useFound({ sheet, tables, view }: Props, column: number): readonly Row[] {
  const { areDifferent, differIn, where, search = "", isDescending = false } = view;
  return useMemo(() => {
    const { rows, partial, partOf } = sheet;
    const isWanted = where && partOf && fulfilling(where, tables);
    const different = areDifferent && partial && differentRows(sheet, differIn);
    const wanted = rows.filter(
      (row) =>
        (!different || different.has(row)) &&
        (!isWanted || isWanted((table) => partOf(row, table))),
    );
    return foundRows(wanted, search, column < 0 ? undefined : { column, isDescending });
  }, [sheet, tables, areDifferent, differIn, where, search, column, isDescending]);
}

interface RowProps extends Pick<Props, "sheet" | "tables" | "experiments"> {
  row: Row;
  columns: readonly SheetColumn[];
}

function SheetRow({ sheet, tables, experiments, row, columns }: RowProps) {
  const first = sheet.of.get(row)!;
  return (
    <tr>
      {columns.map((column, at) => {
        const cell = row[at];
        const differs = differsAt(columns, row, at);
        const { experimentId, file } = tables[column.of ?? first];
        const kind =
          column.key === runKey
            ? experiments.find((one) => one.experimentId === experimentId)?.kind
            : undefined;
        const remark = sheet.remark?.(row, at);
        return (
          <td
            key={column.key}
            class={typeof cell === "number" ? "number" : ""}
            data-first={at > 1 && columns[at - 1].name !== column.name}
            data-differs={differs}
          >
            {differs && (
              <span class="differs" role="img" aria-label="differs:">
                ≠
              </span>
            )}
            {kind !== undefined && <Swatch kind={kind} />}
            {cell === undefined ? (
              <span class="soft">–</span>
            ) : column.isMean === true && typeof cell === "number" ? (
              <span title={String(cell)}>{valueText(Number(cell.toPrecision(meanDigits)))}</span>
            ) : (
              <Cell cell={cell} file={file} />
            )}
            {remark !== undefined && <small> {remark}</small>}
          </td>
        );
      })}
    </tr>
  );
}

function countOf(found: number, rows: number): string {
  return found < rows
    ? `${countText(found)} of ${countedText(rows, "row")}`
    : countedText(rows, "row");
}

/** All rows that are found, with all columns. */
function csvRows({ sheet, tables }: Props, found: readonly Row[]): (string | number | null)[][] {
  const heads = sheet.columns.map(({ name, of }) =>
    of === undefined ? name : `${name} (${tables[of].name})`,
  );
  return [heads, ...found.map((row) => row.map(csvOf))];
}

function csvOf(cell: unknown): string | number | null {
  if (cell === undefined || cell === null) return null;
  return typeof cell === "number" ? cell : cellText(cell);
}
