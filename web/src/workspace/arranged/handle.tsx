import { dragPlaced } from "../../parts/drag-placed.ts";

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
        onPointerDown={(event) => dragPlaced(event, { among: ".placed", onDrop })}
      >
        <span aria-hidden="true">⠿</span> move
      </button>
      <button type="button" class="quiet" aria-label={`Settings of ${name}`} onClick={onSettings}>
        settings…
      </button>
    </div>
  );
}
