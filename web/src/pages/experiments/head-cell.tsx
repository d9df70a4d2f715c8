import type { SortField } from "@lossless/protocol/query-list";
import { useState } from "preact/hooks";
import { remPixels } from "../../parts/row-pixels.ts";
import { bounded } from "./column-widths.ts";
import type { Column } from "./columns.ts";
import type { GridProps } from "./grid-props.ts";

interface Props extends Pick<GridProps, "onSort" | "onMove" | "onResize"> {
  column: Column;
  sort: readonly SortField[];
  id: string;
  isActive: boolean;
  /** The name stays first. */
  isMovable: boolean;
  /** Somebody has just added it. */
  isAdded: boolean;
  /** Shows a width while it is dragged; undefined: no longer. */
  onDrag: (field: string, rem: number | undefined) => void;
}

/** Media type of a column that is dragged. */
const dragType = "application/x-lossless-column";

/** A column's head: a click sorts by it, a drag moves it, a drag of its edge resizes it. */
export function HeadCell(props: Props) {
  const { column, sort, id, isActive, isMovable, isAdded, onSort, onMove } = props;
  const [isOver, setIsOver] = useState(false);
  const { field, title, detail, isNumber } = column;
  const place = sort.findIndex((key) => key.field === field);
  const key = sort[place];
  const direction = key === undefined ? undefined : key.descending ? "descending" : "ascending";
  const isDragged = ({ dataTransfer }: DragEvent) =>
    isMovable && dataTransfer?.types.includes(dragType) === true;
  return (
    <span
      class={`${isNumber ? "number" : ""} ${isOver ? "over" : ""} ${isAdded ? "added" : ""}`}
      role="columnheader"
      id={id}
      aria-sort={direction}
      data-active={isActive}
      title={`Sort by ${field}. Hold Shift to add it as a further sort key.${isMovable ? " Drag to move the column." : ""}`}
      draggable={isMovable}
      onDragStart={({ dataTransfer }) => dataTransfer?.setData(dragType, field)}
      onDragOver={(event) => {
        if (!isDragged(event)) return;
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        setIsOver(false);
        const dragged = event.dataTransfer?.getData(dragType) ?? "";
        if (isMovable && dragged !== "") onMove(dragged, field);
      }}
      onClick={(event) => onSort(column, event.shiftKey)}
      // Shift would select text.
      onMouseDown={(event) => event.shiftKey && event.preventDefault()}
    >
      <span class="title">{title}</span> {detail !== "" && <small>{detail}</small>}
      {key !== undefined && (
        <span class="direction" aria-hidden="true">
          {key.descending ? "▾" : "▴"}
          {sort.length > 1 && <sup>{place + 1}</sup>}
        </span>
      )}
      <Edge {...props} />
    </span>
  );
}

/** The edge by which a column is resized; a double click gives it the usual width. */
function Edge({ column: { field }, onDrag, onResize }: Props) {
  const press = (event: PointerEvent) => {
    const edge = event.currentTarget as HTMLElement;
    const { width } = edge.parentElement!.getBoundingClientRect();
    const rem = remPixels();
    const widthAt = ({ clientX }: PointerEvent) => bounded((width + clientX - event.clientX) / rem);
    const move = (moved: PointerEvent) => onDrag(field, widthAt(moved));
    const end = (ended: PointerEvent) => {
      edge.removeEventListener("pointermove", move);
      edge.removeEventListener("pointerup", end);
      edge.removeEventListener("pointercancel", end);
      onDrag(field, undefined);
      if (ended.type === "pointerup" && ended.clientX !== event.clientX)
        onResize(field, widthAt(ended));
    };
    edge.setPointerCapture(event.pointerId);
    edge.addEventListener("pointermove", move);
    edge.addEventListener("pointerup", end);
    edge.addEventListener("pointercancel", end);
    // Neither a drag of the column nor a sort.
    event.preventDefault();
  };
  return (
    <span
      class="edge"
      aria-hidden="true"
      draggable
      onDragStart={(event) => {
        event.preventDefault();
        event.stopPropagation();
      }}
      onPointerDown={press}
      onClick={(event) => event.stopPropagation()}
      onDblClick={() => onResize(field, undefined)}
    />
  );
}
