import type { RefObject } from "preact";

/** Shows an element in full screen, or the page again. */
export function toggleFullScreen(element: RefObject<HTMLElement | null>): void {
  const isFull = document.fullscreenElement !== null;
  void (isFull ? document.exitFullscreen() : element.current!.requestFullscreen());
}
