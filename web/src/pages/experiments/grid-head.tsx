import { nameColumn } from "./columns.ts";
import { cellId } from "./grid-keys.ts";
import type { GridProps } from "./grid-props.ts";
import { HeadCell } from "./head-cell.tsx";

interface Props extends GridProps {
  /** The focused column. */
  active: number | undefined;
  /** Shows a width while it is dragged; undefined: no longer. */
  onDrag: (field: string, rem: number | undefined) => void;
}

/** The heads of the columns: a click sorts by one, a click with shift adds it as a further key. */
export function GridHead(props: Props) {
  const { columns, rows, sort, selected, active, onSort, onMove, onResize, onDrag } = props;
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
          onChange={() => props.onTick(ids, !isAll)}
        />
      </span>
      {[nameColumn, ...columns].map((column, at) => (
        <HeadCell
          key={column.field}
          column={column}
          sort={sort}
          id={cellId({ row: -1, column: at + 1 })}
          isActive={active === at + 1}
          isMovable={at > 0}
          isAdded={props.added.has(column.field)}
          {...{ onSort, onMove, onResize, onDrag }}
        />
      ))}
    </div>
  );
}
