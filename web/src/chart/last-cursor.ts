import { useSignalEffect } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Board, Cursor } from "./board.ts";

/** Where the cursor was last on this axis: on its way to a menu the pointer leaves the plot. */
export function useLastCursor(board: Board, axis: string): RefObject<Cursor | undefined> {
  const last = useRef<Cursor>(undefined);
  useLayoutEffect(() => void (last.current = undefined), [axis]);
  useSignalEffect(() => {
    if (board.cursor.value !== undefined) last.current = board.cursor.value;
  });
  return last;
}
