import type { SortField } from "@lossless/protocol/query-list";
import { type Column, columnOf } from "./columns.ts";
import { cellId } from "./grid-keys.ts";
import type { GridProps } from "./grid-props.ts";

const name = columnOf("slug")!;

interface Props extends GridProps {
  /** The focused column. */
  active: number | undefined;
}

/** The heads of the columns: a click sorts by one, a click with shift adds it as a further key. */
export function GridHead({ columns, rows, sort, selected, active, onSort, onTick }: Props) {
  const ids = [...rows.values()].map(({ experimentId }) => experimentId);
  const isAll = ids.length > 0 && ids.every((id) => selected.has(id));
  return (
    <div class="head" role="row" aria-rowindex={1}>
      <span
        class="tick"
        role="columnheader"
        id={cellId({ row: -1, column: 0 })}
        data-active={active === 0}
      >
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label="tick all loaded rows"
          checked={isAll}
          onChange={() => onTick(ids, !isAll)}
        />
      </span>
      {[name, ...columns].map((column, at) => (
        <HeadCell
          key={column.field}
          column={column}
          sort={sort}
          id={cellId({ row: -1, column: at + 1 })}
          isActive={active === at + 1}
          onSort={onSort}
        />
      ))}
    </div>
  );
}

interface HeadCellProps extends Pick<GridProps, "onSort"> {
  column: Column;
  sort: readonly SortField[];
  id: string;
  isActive: boolean;
}

function HeadCell({ column, sort, id, isActive, onSort }: HeadCellProps) {
  const { field, title, detail, isNumber } = column;
  const place = sort.findIndex((key) => key.field === field);
  const key = sort[place];
  const direction = key === undefined ? undefined : key.descending ? "descending" : "ascending";
  return (
    <span
      class={isNumber ? "number" : ""}
      role="columnheader"
      id={id}
      aria-sort={direction}
      data-active={isActive}
      title={`Sort by ${field}. Hold Shift to add it as a further sort key.`}
      onClick={(event) => onSort(column, event.shiftKey)}
      // Shift would select text.
      onMouseDown={(event) => event.preventDefault()}
    >
      <span class="title">{title}</span> {detail !== "" && <small>{detail}</small>}
      {key !== undefined && (
        <span class="direction" aria-hidden="true">
          {key.descending ? "▾" : "▴"}
          {sort.length > 1 && <sup>{place + 1}</sup>}
        </span>
      )}
    </span>
  );
}
