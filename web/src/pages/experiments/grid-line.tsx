import type { TableRow } from "@lossless/protocol";
import { CellContent } from "./cell-content.tsx";
import { startRowsDrag } from "./dragged.ts";
import type { ListedNames } from "../../parts/listed-names.ts";
import { cellId, fixedColumns } from "./grid-keys.ts";
import type { GridProps } from "./grid-props.ts";
import { NameCell } from "./name-cell.tsx";

interface Props extends Omit<GridProps, "onTick"> {
  row: number;
  /** The names of the rows. */
  names: ListedNames;
  /** The focused column. */
  active: number | undefined;
  onTick: (row: number, isRange: boolean) => void;
  onPoint: (column: number) => void;
}

/** A row of the table; one not read yet is drawn empty, so that nothing moves later. */
export function GridLine(props: Props) {
  const { columns, valuePlaces, stepPlaces, rows, marks, selected, renaming, row, active } = props;
  const { onFind, onTick, onPoint, onRename, onMenu, onColour, names } = props;
  const content = rows.get(row);
  if (content === undefined) return <div class="line" role="row" aria-rowindex={row + 2} />;
  const { experimentId, slug, name } = content;
  const [isSelected, now] = [selected.has(experimentId), Date.now()];
  const cell = (column: number) => ({
    role: "gridcell" as const,
    id: cellId({ row, column }),
    "data-active": active === column,
    onMouseDown: () => onPoint(column),
  });
  const more = (column: number) => (
    <button
      type="button"
      class="more"
      tabIndex={-1}
      aria-label="Actions"
      aria-haspopup="menu"
      onClick={({ currentTarget }) =>
        onMenu({ row, column }, currentTarget.parentElement!.getBoundingClientRect())
      }
    >
      ⋯
    </button>
  );
  return (
    <div class="line" role="row" aria-rowindex={row + 2} aria-selected={isSelected}>
      <span
        class="tick"
        title="Drag onto a folder to move it there"
        draggable
        onDragStart={(event) => startRowsDrag(event, isSelected ? [...selected] : [experimentId])}
        {...cell(0)}
      >
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`tick ${name ?? slug}`}
          checked={isSelected}
          onClick={(event) => onTick(row, event.shiftKey)}
        />
      </span>
      <span class="name" {...cell(1)} onDblClick={() => onRename?.(row)}>
        <NameCell
          {...{ content, onColour, names }}
          isBaseline={marks.baseline?.experimentId === experimentId}
          field={renaming?.experimentId === experimentId ? renaming.field : undefined}
        />
        <RenameButton {...{ content, row, onRename }} />
        {more(1)}
      </span>
      {columns.map((column, at) => (
        <span
          key={column.field}
          class={`${column.isNumber ? "number" : ""} ${props.added.has(column.field) ? "added" : ""}`}
          {...cell(at + fixedColumns)}
        >
          <CellContent
            {...{ column, content, marks, now, onFind }}
            place={valuePlaces[at]}
            step={content.values[stepPlaces[at]]}
          />
          {active === at + fixedColumns && more(at + fixedColumns)}
        </span>
      ))}
    </div>
  );
}

interface RenameProps extends Pick<Props, "row" | "onRename"> {
  content: TableRow;
}

/** A double click on the name itself would open it first. */
function RenameButton({ content: { name, slug }, row, onRename }: RenameProps) {
  if (onRename === undefined) return null;
  return (
    <button
      type="button"
      class="more rename-button"
      tabIndex={-1}
      aria-label={`Rename ${name ?? slug}`}
      title="Rename (F2)"
      onClick={() => onRename(row)}
    >
      ✎
    </button>
  );
}
