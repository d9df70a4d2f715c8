import type uPlot from "uplot";
import type { FrameState } from "./frame-state.ts";
import { panned, zoomed } from "../axes/range.ts";

/** Milliseconds between changes of the address, whose rate browsers limit. */
const changeEveryMs = 60;

/** Starts a drag: it selects in x, with alt in y; with shift it moves the plot. */
export function startDrag(
  plot: uPlot,
  event: MouseEvent,
  state: FrameState,
  begin: (event: MouseEvent) => unknown,
): void {
  const { drag } = plot.cursor;
  drag!.x = !event.altKey;
  drag!.y = event.altKey;
  if (!event.shiftKey || event.button !== 0) return void begin(event);
  const from = { ...state };
  const width = plot.over.clientWidth;
  const moved = (to: MouseEvent) => panned(from, (event.clientX - to.clientX) / width);
  const seldom = atMostOften((to: MouseEvent) => state.onView({ range: moved(to) }, false));
  const end = (to: MouseEvent) => {
    window.removeEventListener("mousemove", seldom.call);
    window.removeEventListener("mouseup", end);
    seldom.cancel();
    const range = moved(to);
    // A click moves nothing.
    if (range !== state.view.range) state.onView({ range }, true);
  };
  window.addEventListener("mousemove", seldom.call);
  window.addEventListener("mouseup", end);
}

/** Distance in CSS pixels at which the axis has moved away from under a resting pointer. */
const slack = 4;

/**
 * Handles the pointer's place, the wheel with ctrl, and fingers: one points, two zoom. Returns a
 * function that reads again what is under a resting pointer, after another range was drawn.
 */
export function listen(plot: uPlot, state: FrameState): NonNullable<FrameState["pointAgain"]> {
  const { over } = plot;
  let resting: { event: MouseEvent; x: number } | undefined;
  // The middle of the pixel: its edge is also a column's, and would be rounded either way.
  const leftOf = ({ clientX }: MouseEvent) => clientX - over.getBoundingClientRect().left + 0.5;
  const pointed = (event: MouseEvent) => {
    const x = plot.posToVal(leftOf(event), "x");
    resting = { event, x };
    state.onPointer({ x, top: event.clientY - over.getBoundingClientRect().top });
  };
  over.addEventListener("mousemove", pointed);
  const left = () => {
    resting = undefined;
    state.onPointer(undefined);
  };
  let isTouched = false;
  // After a tap the browser's mouse leaves, and the finger has not: what it read stays until the
  // next touch elsewhere.
  over.addEventListener("mouseleave", () => isTouched || left());
  over.addEventListener("pointerdown", ({ pointerType }) => {
    isTouched = pointerType === "touch";
    if (!isTouched) return;
    const elsewhere = ({ target }: Event) => over.contains(target as Node) || left();
    window.addEventListener("pointerdown", elsewhere, { capture: true, once: true });
  });
  over.addEventListener("click", (event) => state.onChoose?.(plot.posToVal(leftOf(event), "x")));
  const shareOf = (clientX: number) => {
    const { left, width } = over.getBoundingClientRect();
    return (clientX - left) / width;
  };
  let factor = 1;
  const zoom = atMostOften((at: number) => {
    state.onView({ range: zoomed(state.overview, state.range, at, factor) }, false);
    factor = 1;
  });
  const wheel = (event: WheelEvent) => {
    // Without ctrl the page scrolls; pinching on a trackpad sets it.
    if (!event.ctrlKey) return;
    event.preventDefault();
    factor *= Math.exp(event.deltaY / 200);
    zoom.call(shareOf(event.clientX));
  };
  over.addEventListener("wheel", wheel, { passive: false });
  const fingers = new Map<number, PointerEvent>();
  const lift = ({ pointerId }: PointerEvent) => void fingers.delete(pointerId);
  over.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch") fingers.set(event.pointerId, event);
  });
  over.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    const before = spread(fingers);
    fingers.set(event.pointerId, event);
    const after = spread(fingers);
    if (before === undefined || after === undefined) return pointed(event);
    factor *= before.distance / after.distance;
    zoom.call(shareOf(after.middle));
  });
  over.addEventListener("pointerup", lift);
  over.addEventListener("pointercancel", lift);
  return (cursor) => {
    // Keys, or another chart, may have moved the cursor since.
    if (resting === undefined || resting.x !== cursor) return;
    const moved = Math.abs(plot.valToPos(cursor, "x") - leftOf(resting.event));
    if (moved > slack) pointed(resting.event);
  };
}

/** Distance and middle of two fingers; undefined without two of them. */
function spread(fingers: ReadonlyMap<number, PointerEvent>) {
  if (fingers.size !== 2) return undefined;
  const [one, other] = [...fingers.values()].map(({ clientX }) => clientX);
  return { distance: Math.max(8, Math.abs(one - other)), middle: (one + other) / 2 };
}

/** Calls `act` with the latest input, at intervals of some milliseconds. */
function atMostOften<T>(act: (input: T) => void): { call: (input: T) => void; cancel: () => void } {
  let latest: { input: T } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const call = (input: T) => {
    latest = { input };
    timer ??= setTimeout(() => {
      timer = undefined;
      if (latest !== undefined) act(latest.input);
    }, changeEveryMs);
  };
  return { call, cancel: () => (clearTimeout(timer), (timer = undefined)) };
}
