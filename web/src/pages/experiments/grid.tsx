import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { densityNow } from "../../look.ts";
import { useRowPixels } from "../../parts/row-pixels.ts";
import { useVisibleRows } from "../../parts/visible-rows.ts";
import { type Column, leastWidth } from "./columns.ts";
import { GridHead } from "./grid-head.tsx";
import { cellId, moved, type CellPosition } from "./grid-keys.ts";
import { useKeptPlace } from "./use-kept-place.ts";
import type { GridProps } from "./grid-props.ts";
import { GridLine } from "./grid-line.tsx";

/** The heights of `.line` in experiments.css: on a narrow screen a name takes two lines. */
const rowRem = { roomy: 2.125, dense: 1.625 };
const narrowRowRem = 2.875;
/** Columns before the chosen ones: the tick and the name. */
const fixedColumns = 2;

/**
 * The table: the scrollbar covers all rows, and only those on screen are drawn. One cell is
 * focused, as the active descendant, so the table is a single Tab stop.
 */
export function Grid(props: GridProps) {
  const { columns, total, rows, selected, onShow, onTick, onOpen } = props;
  const rowPixels = useRowPixels(rowRem[densityNow()], narrowRowRem);
  const { container, first, last, before } = useVisibleRows(total, rowPixels);
  const [active, setActive] = useState<CellPosition>({ row: 0, column: 1 });
  const [anchor, setAnchor] = useState(0);
  useEffect(() => onShow(first, last), [onShow, first, last]);
  useLayoutEffect(() => reveal(container.current, active.row, rowPixels), [active.row, rowPixels]);
  useKeptPlace(props, container, active, setActive);

  const tick = (row: number, isRange: boolean) => {
    const id = rows.get(row)?.experimentId;
    if (id === undefined) return;
    onTick(isRange ? idsBetween(rows, anchor, row) : [id], isRange || !selected.has(id));
    setAnchor(row);
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const screen = Math.floor((container.current?.clientHeight ?? 0) / rowPixels) - 2;
    const extent = { rows: total, columns: columns.length + fixedColumns, screen };
    const next = moved(event.key, active, extent);
    if (next !== undefined) setActive(next);
    else if (active.row === -1 && (event.key === "Enter" || event.key === " "))
      sortAt(props, active.column, event.shiftKey);
    else if (event.key === " ") tick(active.row, event.shiftKey);
    else if (event.key === "Enter" && rows.has(active.row))
      onOpen(rows.get(active.row)!.experimentId);
    else return;
    event.preventDefault();
  };
  // A row scrolled away or not read yet has no cells.
  const { row } = active;
  const isDrawn = row === -1 || (row >= first && row < last && rows.has(row));
  const drawn = Array.from({ length: last - first }, (_, at) => first + at);
  return (
    <div
      class="grid"
      role="grid"
      aria-label="Experiments"
      aria-multiselectable="true"
      aria-rowcount={total + 1}
      aria-colcount={columns.length + fixedColumns}
      aria-activedescendant={isDrawn ? cellId(active) : undefined}
      tabIndex={0}
      ref={container}
      onKeyDown={press}
      style={trackStyle(columns)}
    >
      <GridHead {...props} active={active.row === -1 ? active.column : undefined} />
      <div class="body" role="rowgroup" style={{ height: `${total * rowPixels}px` }}>
        <div class="lines" role="presentation" style={{ transform: `translateY(${before}px)` }}>
          {drawn.map((row) => (
            <GridLine
              key={rows.get(row)?.experimentId ?? row}
              {...props}
              row={row}
              active={active.row === row ? active.column : undefined}
              onTick={tick}
              onPoint={(column) => setActive({ row, column })}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

function idsBetween(rows: GridProps["rows"], one: number, other: number): string[] {
  const [from, to] = [Math.min(one, other), Math.max(one, other)];
  return [...rows].filter(([at]) => at >= from && at <= to).map(([, row]) => row.experimentId);
}

function sortAt({ columns, onSort }: GridProps, place: number, isFurther: boolean): void {
  const column = columns[place - fixedColumns];
  if (column !== undefined) onSort(column, isFurther);
}

/** Scrolls as little as needed to show a row between the head and the lower edge. */
function reveal(container: HTMLElement | null, row: number, rowPixels: number): void {
  if (container === null || row < 0) return;
  const top = row * rowPixels;
  const height = container.clientHeight - 2 * rowPixels;
  if (top < container.scrollTop) container.scrollTop = top;
  else if (top > container.scrollTop + height) container.scrollTop = top - height;
}

/** Width at which names made by programs fit completely. */
const nameRem = 22;

/**
 * Widths of the tracks: the name has at least `--name`, grows first, and takes what others leave.
 */
function trackStyle(columns: readonly Column[]): Record<string, string> {
  const least = columns.reduce((sum, column) => sum + leastWidth(column), 0);
  const tracks = columns.map((column) => `minmax(${leastWidth(column)}rem, ${column.width}rem)`);
  const others = 2.25 + least;
  const name = `clamp(var(--name), 100% - ${others}rem, ${nameRem}rem)`;
  return {
    "--tracks": `2.25rem minmax(${name}, 1fr) ${tracks.join(" ")}`,
    "--least": `calc(${others}rem + var(--name))`,
  };
}
