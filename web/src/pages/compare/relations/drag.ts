/** A place in pixels. */
export interface Point {
  x: number;
  y: number;
}

/** Pixels below which a drag is a click. */
const dragPixels = 4;

/**
 * Follows a pressed pointer until it is released; reports the two corners, or a click. Other
 * buttons and further fingers are ignored.
 */
export function drag(
  event: PointerEvent,
  onMove: (from: Point, to: Point) => void,
  onEnd: (ended: { from: Point; to: Point } | "click" | "left") => void,
): void {
  if (event.button !== 0 || !event.isPrimary) return;
  const target = event.currentTarget as SVGElement;
  const svg = target.closest("svg")!;
  const place = ({ clientX, clientY }: PointerEvent): Point => {
    const { left, top } = svg.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const from = place(event);
  const stopped = new AbortController();
  const { signal } = stopped;
  target.setPointerCapture(event.pointerId);
  event.preventDefault();
  target.addEventListener("pointermove", (moved) => onMove(from, place(moved)), { signal });
  const end = (ended: PointerEvent | undefined) => {
    stopped.abort();
    if (ended === undefined) return onEnd("left");
    const to = place(ended);
    const isClick = Math.hypot(to.x - from.x, to.y - from.y) < dragPixels;
    onEnd(isClick ? "click" : { from, to });
  };
  target.addEventListener("pointerup", (last) => end(last), { signal });
  target.addEventListener("pointercancel", () => end(undefined), { signal });
}
