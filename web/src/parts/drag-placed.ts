interface Dropping {
  /** Selects the elements among which one finds its place; each has its key in `data-key`. */
  among: string;
  /** Takes the key of the element before or behind which it was let go. */
  onDrop: (over: string, isAfter: boolean) => void;
}

/** Pixels from an edge of the window where a drag scrolls, and by how many a movement does. */
const edgePixels = 60;
const scrolledPixels = 24;

/** Follows a pointer on a handle until it is let go, and marks the place of the drop. */
export function dragPlaced(
  { currentTarget: handle, pointerId, button }: PointerEvent & { currentTarget: HTMLElement },
  { among, onDrop }: Dropping,
): void {
  if (button !== 0) return;
  const stopped = new AbortController();
  const { signal } = stopped;
  let place: { card: HTMLElement; isAfter: boolean } | undefined;
  const mark = (next: typeof place) => {
    if (place !== undefined) delete place.card.dataset.drop;
    if (next !== undefined) next.card.dataset.drop = next.isAfter ? "after" : "before";
    place = next;
  };
  handle.setPointerCapture(pointerId);
  const move = ({ clientX, clientY }: PointerEvent) => {
    const edge = clientY < edgePixels ? -1 : clientY > innerHeight - edgePixels ? 1 : 0;
    window.scrollBy(0, edge * scrolledPixels);
    const under = document.elementFromPoint(clientX, clientY);
    const card = under?.closest<HTMLElement>(among);
    if (card == null || card.contains(handle)) return mark(undefined);
    const { left, width, top, height } = card.getBoundingClientRect();
    // Those below each other are as wide as what they stand in.
    const isColumn = width > card.parentElement!.clientWidth * 0.9;
    const isAfter = isColumn ? clientY > top + height / 2 : clientX > left + width / 2;
    mark({ card, isAfter });
  };
  const end = (isDropped: boolean) => () => {
    const { card, isAfter = false } = place ?? {};
    mark(undefined);
    stopped.abort();
    if (isDropped && card?.dataset.key !== undefined) onDrop(card.dataset.key, isAfter);
  };
  handle.addEventListener("pointermove", move, { signal });
  handle.addEventListener("pointerup", end(true), { signal });
  handle.addEventListener("pointercancel", end(false), { signal });
}
