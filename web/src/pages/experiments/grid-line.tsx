import type { TableRow } from "@lossless/protocol";
import { kindsOf } from "../../chart/lines/colours.ts";
import { CutName } from "../../parts/cut-name.tsx";
import { NonfiniteSign } from "../../parts/nonfinite-sign.tsx";
import { countText, statusSigns } from "../../parts/words.ts";
import { tabAddress } from "../experiment/tabs.ts";
import { cellOf, lifeText, valueOf } from "./cell-text.ts";
import type { Column } from "./columns.ts";
import { startRowsDrag } from "./dragged.ts";
import { cellId } from "./grid-keys.ts";
import type { GridProps } from "./grid-props.ts";

interface Props extends Pick<
  GridProps,
  "columns" | "valuePlaces" | "stepPlaces" | "rows" | "selected"
> {
  row: number;
  /** The focused column. */
  active: number | undefined;
  onTick: (row: number, isRange: boolean) => void;
  onPoint: (column: number) => void;
}

/** A row of the table; one not read yet is drawn empty, so that nothing moves later. */
export function GridLine(props: Props) {
  const { columns, valuePlaces, stepPlaces, rows, selected, row, active, onTick, onPoint } = props;
  const content = rows.get(row);
  if (content === undefined) return <div class="line" role="row" aria-rowindex={row + 2} />;
  const { experimentId, slug, name } = content;
  const isSelected = selected.has(experimentId);
  const now = Date.now();
  const cell = (column: number) => ({
    role: "gridcell" as const,
    id: cellId({ row, column }),
    "data-active": active === column,
    onMouseDown: () => onPoint(column),
  });
  return (
    <div
      class="line"
      role="row"
      aria-rowindex={row + 2}
      aria-selected={isSelected}
      draggable
      onMouseDown={takesText}
      onDragStart={(event) => startRowsDrag(event, isSelected ? [...selected] : [experimentId])}
    >
      <span class="tick" {...cell(0)}>
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`tick ${name ?? slug}`}
          checked={isSelected}
          onClick={(event) => onTick(row, event.shiftKey)}
        />
      </span>
      <NameCell content={content} cell={cell(1)} />
      {columns.map((column, at) => (
        <span key={column.field} class={column.isNumber ? "number" : ""} {...cell(at + 2)}>
          <CellContent column={column} content={content} place={valuePlaces[at]} now={now} />
          <StepLine step={content.values[stepPlaces[at]]} />
        </span>
      ))}
    </div>
  );
}

/** Whether a drag selects text, which it does on a cell's content; elsewhere it takes the row. */
function takesText({ currentTarget, target }: MouseEvent): void {
  const isText = (target as Element).closest("bdi, small") !== null;
  (currentTarget as HTMLElement).draggable = !isText;
}

/** Prevents opening when a part of the name was just selected, to be copied. */
function openUnlessSelected(event: MouseEvent): void {
  if (getSelection()?.isCollapsed === false) event.preventDefault();
}

/** Copies a name as one line: its parts are separate elements, which would be copied as lines. */
function copyWhole(event: ClipboardEvent): void {
  const selection = getSelection();
  const isWithin = (event.currentTarget as Element).contains(selection?.focusNode ?? null);
  if (!isWithin || event.clipboardData === null) return;
  event.clipboardData.setData("text/plain", String(selection).replaceAll("\n", ""));
  event.preventDefault();
}

function NameCell({ content, cell }: { content: TableRow; cell: object }) {
  const { experimentId, slug, name, description, error } = content;
  const shown = name ?? slug;
  const { colour } = kindsOf([experimentId]).get(experimentId)!;
  const about = error ?? description;
  return (
    <span class="name" {...cell}>
      <span class={`dot line-${colour}`} aria-hidden="true">
        ●
      </span>
      <a
        href={tabAddress(experimentId, "charts")}
        tabIndex={-1}
        title={shown}
        aria-label={shown}
        draggable={false}
        onClick={openUnlessSelected}
        onCopy={copyWhole}
      >
        <CutName name={shown} />
      </a>
      {name !== null && name !== slug && (
        <bdi class="slug" title={slug}>
          {slug}
        </bdi>
      )}
      <bdi class={error === null ? "about" : "about bad"} title={about}>
        {about}
      </bdi>
    </span>
  );
}

/** The step of the extreme above it. */
function StepLine({ step }: { step: TableRow["values"][number] | undefined }) {
  return typeof step === "number" ? <small>step {countText(step)}</small> : null;
}

interface CellProps {
  column: Column;
  content: TableRow;
  place: number;
  now: number;
}

function CellContent({ column, content, place, now }: CellProps) {
  if (column.field === "status") {
    const { text, isBad } = lifeText(content, now);
    return (
      <>
        <span class={`status ${content.status}`}>
          <span aria-hidden="true">{statusSigns[content.status]}</span>{" "}
          <span>{content.status}</span>
        </span>{" "}
        <span class={isBad ? "silent" : "soft"} title={text}>
          {text}
        </span>
      </>
    );
  }
  const { text, title } = cellOf(column, valueOf(column, content, place), now);
  return (
    <>
      <NonfiniteSign count={content.nonfinite?.[place]} />
      <bdi title={title}>{text}</bdi>
    </>
  );
}
