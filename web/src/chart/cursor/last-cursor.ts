import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Board, Cursor } from "./board.ts";

/** The last cursor on this axis: on its way to a menu the pointer leaves the plot. */
export function useLastCursor(board: Board, axis: string): RefObject<Cursor | undefined> {
  const last = useRef<Cursor>(undefined);
  useLayoutEffect(() => void (last.current = undefined), [axis]);
  // A layout effect: an effect of a signal runs with the next frame, and a key may be faster.
  useLayoutEffect(
    () =>
      board.cursor.subscribe((cursor) => {
        if (cursor !== undefined) last.current = cursor;
      }),
    [board],
  );
  return last;
}
