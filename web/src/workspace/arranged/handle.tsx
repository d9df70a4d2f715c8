interface Props {
  /** The chart's title. */
  name: string;
  /** Moves it by one place. */
  onStep: (by: 1 | -1) => void;
  /** Moves it before or after the chart with this key. */
  onDrop: (over: string, isAfter: boolean) => void;
  onSettings: () => void;
}

const steps: Record<string, 1 | -1> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

/** Moves a chart: dragged by a pointer, or by the arrows. */
export function Handle({ name, onStep, onDrop, onSettings }: Props) {
  return (
    <div class="handles">
      <button
        type="button"
        class="handle"
        aria-label={`Move ${name}`}
        aria-keyshortcuts="ArrowLeft ArrowRight"
        title="Drag, or press the arrows"
        onKeyDown={(event) => {
          const by = steps[event.key];
          if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
          event.preventDefault();
          onStep(by);
        }}
        onPointerDown={(event) => drag(event, onDrop)}
      >
        <span aria-hidden="true">⠿</span> move
      </button>
      <button type="button" class="quiet" aria-label={`Settings of ${name}`} onClick={onSettings}>
        settings…
      </button>
    </div>
  );
}

/** Pixels from an edge of the window where a drag scrolls, and by how many a movement does. */
const edgePixels = 60;
const scrolledPixels = 24;

/** Follows a pointer until it is let go, and marks the place where the chart would go. */
function drag(
  { currentTarget: handle, pointerId, button }: PointerEvent & { currentTarget: HTMLElement },
  onDrop: Props["onDrop"],
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
    const card = under?.closest<HTMLElement>(".placed");
    if (card == null || card.contains(handle)) return mark(undefined);
    const { left, width, top, height } = card.getBoundingClientRect();
    // Cards below each other are as wide as their section.
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
