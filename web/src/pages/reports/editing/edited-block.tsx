import type { ReportBlock } from "@lossless/client";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { AddedKind, DraftBlock } from "../report-draft.ts";
import { picturesIn } from "../pictures/taken-pictures.ts";
import { AddBefore } from "./add-block.tsx";
import { BlockTools } from "./block-tools.tsx";
import { type AroundPlace, textAround } from "./caret-at.ts";

interface Props {
  one: DraftBlock;
  title: string;
  isOpen: boolean;
  /** Whether it was added just now: it gets the focus. */
  isNew: boolean;
  /** Opens it, at the words that were clicked. */
  onOpen: (around?: AroundPlace) => void;
  onClose: () => void;
  onAdd: (kind: AddedKind) => void;
  onHalf: (isHalf: boolean) => void;
  onStep: (by: 1 | -1) => void;
  onDrop: (over: number, isAfter: boolean) => void;
  onCopy: () => void;
  onRemove: () => void;
  onPictures: (files: readonly File[]) => void;
  children: ComponentChildren;
}

/** A block as readers see it, which a click or Enter opens, and what one does with it. */
export function EditedBlock(props: Props) {
  const { one, title, isOpen, onOpen, onClose, onAdd, onHalf, onDrop, onCopy, onRemove } = props;
  const { key, block } = one;
  const section = useRef<HTMLElement>(null);
  /** Whether a key is that of a menu, a dialog or a list, which close before the block. */
  const isInner = useRef(false);
  const pressed = useRef<{ x: number; y: number }>(undefined);
  const step = useSteps(section, props.onStep);
  useFocusAndPlace(section, props);
  const close = () => {
    section.current?.querySelector<HTMLElement>(".block-tools [aria-expanded]")?.focus();
    onClose();
  };
  return (
    <section
      class="edited"
      ref={section}
      data-block={block.kind}
      data-width={block.width}
      data-key={key}
      data-open={isOpen ? "" : undefined}
      tabIndex={-1}
      aria-label={title}
      onPointerDown={({ clientX: x, clientY: y }) => void (pressed.current = { x, y })}
      onClick={(event) => {
        if (isOpen || !isOnContent(event, pressed.current)) return;
        onOpen(textAround(section.current!, event.clientX, event.clientY));
      }}
      onKeyDownCapture={({ target }) => {
        isInner.current = target instanceof Element && target.closest(inner) !== null;
      }}
      onKeyDown={(event) => {
        if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
          event.preventDefault();
          step(event.key === "ArrowUp" ? -1 : 1);
        } else if (event.key === "Enter" && event.target === section.current) {
          event.preventDefault();
          onOpen();
        } else if (isOpen && isEnd(event) && !isInner.current) {
          event.preventDefault();
          close();
        }
      }}
      onDragOver={(event) => hasFiles(event) && event.preventDefault()}
      onDrop={(event) => {
        // Words that are dragged are the browser's.
        if (!hasFiles(event)) return;
        const files = picturesIn(event.dataTransfer);
        event.preventDefault();
        if (files.length > 0) props.onPictures(files);
      }}
    >
      <AddBefore {...{ title, onAdd }} />
      <BlockTools
        {...{ title, isOpen, onHalf, onCopy, onRemove }}
        isText={block.kind === "text"}
        isHalf={block.width === "half"}
        onOpen={(isWanted) => (isWanted ? onOpen() : close())}
        onStep={step}
        onDrop={(over, isAfter) => onDrop(Number(over), isAfter)}
      />
      {props.children}
    </section>
  );
}

/** Gives a new block the focus, and shows an open chart with its settings. */
function useFocusAndPlace(
  section: { current: HTMLElement | null },
  { one: { block }, isNew, isOpen }: Pick<Props, "one" | "isNew" | "isOpen">,
): void {
  useLayoutEffect(() => {
    // Left on the button that adds blocks, it would take the text that is typed next.
    const field = section.current?.querySelector<HTMLElement>(".block-fields input");
    if (isNew && block.kind !== "text") (field ?? section.current)?.focus();
    if (isNew) section.current?.scrollIntoView({ block: "nearest" });
  }, [isNew]);
  useLayoutEffect(() => {
    if (isOpen && block.kind === "chart") showSettings(section.current!);
  }, [isOpen]);
}

/** Scrolls so that a chart and the first of its settings are in view together. */
function showSettings(section: HTMLElement): void {
  // After the page has kept what was clicked where it was.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const fields = section.querySelector(".block-fields")?.getBoundingClientRect();
      if (fields === undefined) return;
      const isSeen = fields.top >= 0 && fields.top + settingsPixels <= window.innerHeight;
      if (!isSeen) section.scrollIntoView({ block: "start" });
    }),
  );
}

/** Pixels of the settings that are seen at least. */
const settingsPixels = 240;

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") === true;
}

/** Moves the block; its element loses the focus by that, which is given back. */
function useSteps(section: { current: HTMLElement | null }, onStep: Props["onStep"]) {
  return (by: 1 | -1) => {
    const held = document.activeElement;
    onStep(by);
    requestAnimationFrame(() => {
      if (held instanceof HTMLElement && section.current?.contains(held)) held.focus();
      section.current?.scrollIntoView({ block: "nearest" });
    });
  };
}

const controls = "a, button, summary, input, select, textarea, label, dialog, video, audio, iframe";
/** Pixels that a pointer may move in a click; more is a zoom, or a selection of text. */
const clickPixels = 4;

/** Whether a click is on what a block shows, and on nothing that does something by itself. */
function isOnContent(
  { target, clientX, clientY }: MouseEvent,
  pressed: { x: number; y: number } | undefined,
): boolean {
  if (!(target instanceof Element) || target.closest(controls) !== null) return false;
  if (pressed === undefined) return true;
  return Math.hypot(clientX - pressed.x, clientY - pressed.y) <= clickPixels;
}

const inner = "dialog, details[open].menu, [role=combobox][aria-expanded=true]";

/** Whether a key ends writing. */
function isEnd({ key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return key === "Escape" || (key === "Enter" && (ctrlKey || metaKey));
}

/** `Block 1, text` */
export function titleOf({ kind }: ReportBlock, at: number): string {
  return `Block ${at + 1}, ${kind}`;
}
