import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { CellPosition } from "./grid-keys.ts";
import type { GridProps } from "./grid-props.ts";
import { type KeptPlace, keptPlace, readKeptPlace } from "./kept-place.ts";

/** Milliseconds after the last movement: browsers limit changes of the history per second. */
const keptAfterMs = 400;

/**
 * Restores the table's place in its step of the history; a new question starts at the top. Called
 * after the effect that scrolls to the active row, which may have been scrolled away.
 */
export function useKeptPlace(
  { question, history }: GridProps,
  container: RefObject<HTMLDivElement | null>,
  active: CellPosition,
  setActive: (change: (before: CellPosition) => CellPosition) => void,
): void {
  const pending = useRef<KeptPlace>(undefined);
  const latest = useRef(active);
  latest.current = active;
  useLayoutEffect(() => {
    const kept = readKeptPlace(history.kept);
    pending.current = kept;
    container.current?.scrollTo(0, kept?.top ?? 0);
    setActive(({ row, column }) => ({
      row: kept?.row ?? Math.min(row, 0),
      column: kept?.column ?? column,
    }));
    if (kept?.isFocused === true) container.current?.focus({ preventScroll: true });
  }, [question]);
  useLayoutEffect(() => {
    if (pending.current?.row !== active.row) return;
    container.current?.scrollTo(0, pending.current.top);
    pending.current = undefined;
  }, [question, active.row]);
  // A layout effect: a page that was left has no place any more, and an immediate step asks for it.
  useLayoutEffect(
    () =>
      history.remember(() => {
        const element = container.current;
        const isFocused = element?.contains(document.activeElement) === true;
        return keptPlace({ ...latest.current, top: element?.scrollTop ?? 0, isFocused });
      }),
    [history],
  );
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      clearTimeout(timer);
      timer = setTimeout(() => history.keep(), keptAfterMs);
    };
    const element = container.current;
    element?.addEventListener("scroll", soon, { passive: true });
    return () => {
      clearTimeout(timer);
      element?.removeEventListener("scroll", soon);
    };
  }, [history]);
}
