import { dragPlaced } from "../../../parts/drag-placed.ts";

interface Props {
  /** `Block 1, text`. */
  title: string;
  isText: boolean;
  isOpen: boolean;
  isHalf: boolean;
  onOpen: (isOpen: boolean) => void;
  onHalf: (isHalf: boolean) => void;
  /** Moves it by one place. */
  onStep: (by: 1 | -1) => void;
  onDrop: (over: string, isAfter: boolean) => void;
  onCopy: () => void;
  onRemove: () => void;
}

const steps: Record<string, 1 | -1> = { ArrowUp: -1, ArrowDown: 1 };

/** Buttons of a block; shown while the pointer or the keyboard is at it. */
export function BlockTools(props: Props) {
  const { title, isText, isOpen, isHalf, onOpen, onHalf, onStep, onDrop, onCopy, onRemove } = props;
  return (
    <div class="block-tools" role="group" aria-label={title}>
      <button
        type="button"
        class="handle"
        aria-label={`Move: ${title}`}
        aria-keyshortcuts="ArrowUp ArrowDown"
        title="Drag, or press the arrows"
        onKeyDown={(event) => {
          const by = steps[event.key];
          if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
          event.preventDefault();
          onStep(by);
        }}
        onPointerDown={(event) => dragPlaced(event, { among: ".edited", onDrop })}
      >
        <span aria-hidden="true">⠿</span>
      </button>
      <button
        type="button"
        aria-label={`${isText ? "Write" : "Settings"}: ${title}`}
        aria-expanded={isOpen}
        title={isText ? "Write (or click the text)" : "Settings (or click it)"}
        onClick={() => onOpen(!isOpen)}
      >
        <span aria-hidden="true">{isText ? "✎" : "⚙"}</span>
      </button>
      <button
        type="button"
        aria-label={`Half width: ${title}`}
        aria-pressed={isHalf}
        title="Two half-width blocks in a row stand side by side"
        onClick={() => onHalf(!isHalf)}
      >
        ½
      </button>
      <button
        type="button"
        aria-label={`Copy: ${title}`}
        title="Put a copy of it below"
        onClick={onCopy}
      >
        copy
      </button>
      <button type="button" aria-label={`Remove: ${title}`} title="Remove" onClick={onRemove}>
        ✕
      </button>
    </div>
  );
}
