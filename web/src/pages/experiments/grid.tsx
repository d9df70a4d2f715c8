import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { densityNow } from "../../look.ts";
import { useRowPixels } from "../../parts/row-pixels.ts";
import { ListedNames } from "../../parts/listed-names.ts";
import { useVisibleRows } from "../../parts/visible-rows.ts";
import { copiedText, valueOf } from "./cell-text.ts";
import { changeColumn } from "./column-keys.ts";
import { copyCells, type TextOfCell } from "./copied-cells.ts";
import { GridHead } from "./grid-head.tsx";
import { type CellPosition, cellId, type Extent, fixedColumns, moved } from "./grid-keys.ts";
import { useRevealed } from "./use-added.ts";
import { useKeptPlace } from "./use-kept-place.ts";
import type { GridProps } from "./grid-props.ts";
import { GridLine } from "./grid-line.tsx";
import { type DraggedEdge, nameRemOf, trackStyle } from "./track-style.ts";

/** The heights of `.line` in experiments.css: on a narrow screen a name takes two lines. */
const rowRem = { roomy: 2.125, dense: 1.625 };
const narrowRowRem = 2.875;

/**
 * The table: the scrollbar covers all rows, and only those on screen are drawn. One cell is
 * focused, as the active descendant, so the table is a single Tab stop.
 */
export function Grid(props: GridProps) {
  const { columns, total, rows, selected, onShow, onTick } = props;
  const rowPixels = useRowPixels(rowRem[densityNow()], narrowRowRem);
  const { container, first, last, before } = useVisibleRows(total, rowPixels);
  const [active, setActive] = useState<CellPosition>({ row: 0, column: 1 });
  const [anchor, setAnchor] = useState(0);
  const [dragged, setDragged] = useState<DraggedEdge>();
  useEffect(() => onShow(first, last), [onShow, first, last]);
  useLayoutEffect(() => reveal(container.current, active.row, rowPixels), [active.row, rowPixels]);
  useKeptPlace(props, container, active, setActive);
  useRevealed(container, columns, props.added);

  const tick = (row: number, isRange: boolean) => {
    const id = rows.get(row)?.experimentId;
    if (id === undefined) return;
    onTick(isRange ? idsBetween(rows, anchor, row) : [id], isRange || !selected.has(id));
    setAnchor(row);
  };
  const press = (event: KeyboardEvent) => {
    const screen = Math.floor((container.current?.clientHeight ?? 0) / rowPixels) - 2;
    const extent = { rows: total, columns: columns.length + fixedColumns, screen };
    if (pressed(props, event, active, { extent, setActive, tick })) event.preventDefault();
  };
  // A row scrolled away or not read yet has no cells.
  const { row } = active;
  const names = useMemo(
    () => namesAround(rows, Math.floor(first / nameBlock)),
    [rows, Math.floor(first / nameBlock)],
  );
  const listed = useMemo(() => new ListedNames(names), [names]);
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
      onCopy={(event) => copyCells(event, active, textIn(props))}
      style={trackStyle(columns, props.nameWidth, dragged, nameRemOf(names))}
    >
      <GridHead
        {...props}
        active={active.row === -1 ? active.column : undefined}
        onDrag={(field, rem) => setDragged(rem === undefined ? undefined : { field, rem })}
      />
      <div class="body" role="rowgroup" style={{ height: `${total * rowPixels}px` }}>
        <div class="lines" role="presentation" style={{ transform: `translateY(${before}px)` }}>
          {drawn.map((row) => (
            <GridLine
              key={rows.get(row)?.experimentId ?? row}
              {...props}
              {...{ row }}
              names={listed}
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

/** Rows whose names are shortened together, with as many before and behind them. */
const nameBlock = 100;

/** The names around those that are drawn: scrolling seldom shortens them anew. */
function namesAround(rows: GridProps["rows"], block: number): string[] {
  const [from, to] = [(block - 1) * nameBlock, (block + 2) * nameBlock];
  return [...rows].flatMap(([at, { name, slug }]) => (at >= from && at < to ? [name ?? slug] : []));
}

/** The full text of a cell, to be copied. */
function textIn({ columns, valuePlaces, rows }: GridProps): TextOfCell {
  return ({ row, column }) => {
    const content = rows.get(row);
    if (content === undefined) return "";
    const at = column - fixedColumns;
    if (at < 0) return content.name ?? content.slug;
    if (columns[at].field === "status") return content.status;
    return copiedText(columns[at], valueOf(columns[at], content, valuePlaces[at]));
  };
}

interface KeyTargets {
  extent: Extent;
  setActive: (cell: CellPosition) => void;
  tick: (row: number, isRange: boolean) => void;
}

/** Does what a key does at the focused cell; returns whether it does anything. */
function pressed(
  props: GridProps,
  event: KeyboardEvent,
  active: CellPosition,
  { extent, setActive, tick }: KeyTargets,
): boolean {
  const { key, shiftKey } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const isHead = active.row === -1;
  if (isHead && changeColumn(props, event, active.column, setActive)) return true;
  const next = moved(key, active, extent);
  const row = props.rows.get(active.row);
  if (next !== undefined) setActive(next);
  else if (isMenuKey(event)) openMenu(props, active);
  else if (key === "F2") props.onRename?.(active.row);
  else if (isHead && (key === "Enter" || key === " ")) sortAt(props, active.column, shiftKey);
  else if (key === " ") tick(active.row, shiftKey);
  else if (key === "Enter" && row !== undefined) props.onOpen(row.experimentId);
  else return false;
  return true;
}

function isMenuKey({ key, shiftKey }: KeyboardEvent): boolean {
  return key === "ContextMenu" || (key === "F10" && shiftKey);
}

/** Opens the menu of the focused cell, if that has one. */
function openMenu({ onMenu }: GridProps, cell: CellPosition): void {
  const element = cell.column > 0 ? document.getElementById(cellId(cell)) : null;
  if (element !== null && cell.row >= 0) onMenu(cell, element.getBoundingClientRect());
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
