import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Column } from "./columns.ts";
import { cellId, fixedColumns } from "./grid-keys.ts";

/** How long added columns are marked, once no dialog covers them. */
const markedMs = 2_500;

const none: ReadonlySet<string> = new Set();

/** The columns that a person has just added to others; for a moment. */
export function useAdded(fields: readonly string[], isChosen: boolean): ReadonlySet<string> {
  const before = useRef(fields);
  const [added, setAdded] = useState(none);
  useEffect(() => {
    const last = before.current;
    before.current = fields;
    const more = fields.filter((field) => !last.includes(field));
    const areKept = last.length > 0 && last.every((field) => fields.includes(field));
    if (isChosen && areKept && more.length > 0) setAdded(new Set(more));
  }, [fields.join()]);
  useEffect(() => {
    if (added.size === 0) return;
    let timer: ReturnType<typeof setTimeout>;
    const wait = () => {
      timer = setTimeout(() => {
        if (document.querySelector("dialog[open]") === null) setAdded(none);
        else wait();
      }, markedMs);
    };
    wait();
    return () => clearTimeout(timer);
  }, [added]);
  return added;
}

/** Scrolls a table to the first of the added columns, as soon as it is drawn. */
export function useRevealed(
  container: RefObject<HTMLElement | null>,
  columns: readonly Column[],
  added: ReadonlySet<string>,
): void {
  const at = columns.findIndex(({ field }) => added.has(field));
  useLayoutEffect(() => {
    const grid = container.current;
    const id = cellId({ row: -1, column: at + fixedColumns });
    const head = at < 0 ? null : grid?.querySelector<HTMLElement>(`#${id}`);
    if (grid === null || head === null || head === undefined) return;
    const name = grid.querySelector("[role=columnheader]:nth-child(2)")!.getBoundingClientRect();
    const { left, right } = head.getBoundingClientRect();
    const end = grid.getBoundingClientRect().left + grid.clientWidth;
    if (right > end) grid.scrollLeft += right - end;
    else if (left < name.right) grid.scrollLeft -= name.right - left;
  }, [added, at]);
}
