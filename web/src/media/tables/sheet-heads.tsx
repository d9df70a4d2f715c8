import { useMemo } from "preact/hooks";
import { Swatch } from "../../chart/lines/swatch.tsx";
import { CutName } from "../../parts/cut-name.tsx";
import { ListedNames } from "../../parts/listed-names.ts";
import type { MediaExperiment } from "../media-experiment.ts";
import type { RunTable, SheetColumn } from "./sheet.ts";

interface Props {
  tables: readonly RunTable[];
  experiments: readonly MediaExperiment[];
  columns: readonly SheetColumn[];
  /** The column that orders rows; -1: none does. */
  at: number;
  isDescending: boolean;
  sort: (column: number) => void;
}

/** The heads of a sheet: a column that several runs have stands above a head of each run. */
export function SheetHeads(props: Props) {
  const { columns } = props;
  const isSplit = columns.some((_, column) => tableOf(props, column) !== undefined);
  return (
    <thead>
      <tr>
        {columns.map((column, index) =>
          tableOf(props, index) === undefined ? (
            <th
              key={column.key}
              scope="col"
              rowSpan={isSplit ? 2 : 1}
              aria-sort={sorted(props, index)}
              data-first={index > 1}
            >
              <button type="button" onClick={() => props.sort(index)}>
                {column.name}
                <Sign {...props} column={index} />
              </button>
            </th>
          ) : (
            <Above key={column.key} {...{ columns, index }} />
          ),
        )}
      </tr>
      {isSplit && (
        <tr>
          {columns.map(({ key }, index) => (
            <RunHead key={key} {...props} index={index} />
          ))}
        </tr>
      )}
    </thead>
  );
}

/** One head above those of the runs; nothing for the others of them. */
function Above({ columns, index }: { columns: readonly SheetColumn[]; index: number }) {
  const { name } = columns[index];
  const before = columns[index - 1];
  if (before?.of !== undefined && before.name === name) return null;
  const next = columns.findIndex((one, place) => place > index && one.name !== name);
  const span = (next < 0 ? columns.length : next) - index;
  return (
    <th scope="colgroup" colSpan={span} data-first={index > 1}>
      {name}
    </th>
  );
}

function RunHead({ index, ...props }: Props & { index: number }) {
  const { tables, experiments, columns, sort } = props;
  const names = useMemo(() => new ListedNames(tables.map((one) => one.name)), [tables]);
  const table = tableOf(props, index);
  if (table === undefined) return null;
  const { name } = columns[index];
  const kind = experiments.find((one) => one.experimentId === table.experimentId)?.kind;
  return (
    <th
      scope="col"
      aria-sort={sorted(props, index)}
      data-first={index > 1 && columns[index - 1].name !== name}
    >
      <button
        type="button"
        class="run-head"
        title={table.name}
        aria-label={`${name}, ${table.name}`}
        onClick={() => sort(index)}
      >
        {kind !== undefined && <Swatch kind={kind} />}
        <CutName name={table.name} names={names} />
        <Sign {...props} column={index} />
      </button>
    </th>
  );
}

/** The table whose column it is, where there are several. */
function tableOf({ tables, columns }: Pick<Props, "tables" | "columns">, column: number) {
  const { of } = columns[column];
  return tables.length === 1 || of === undefined ? undefined : tables[of];
}

function sorted({ at, isDescending }: Props, column: number) {
  return at === column ? (isDescending ? "descending" : "ascending") : "none";
}

function Sign({ at, isDescending, column }: Props & { column: number }) {
  return at === column ? <span aria-hidden="true">{isDescending ? " ↓" : " ↑"}</span> : null;
}
