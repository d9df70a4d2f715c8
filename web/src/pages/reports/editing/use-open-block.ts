import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { AroundPlace } from "./caret-at.ts";

/** Where the caret of an opened text begins: at the words that were clicked, or at a place. */
export type CaretPlace = AroundPlace | { at: number };

export interface OpenBlock {
  key: number | undefined;
  around: CaretPlace | undefined;
  /** Opens a block, if there is one to open. */
  open: (key: number | undefined, around?: CaretPlace) => void;
  close: (key: number) => void;
}

/**
 * The one block that is open. A click elsewhere or the Tab key out of it closes it; what was
 * clicked stays where it is, whatever opens or closes above it.
 */
export function useOpenBlock(onTurn: () => void): OpenBlock {
  const [opened, setOpened] = useState<{ key?: number; around?: CaretPlace | undefined }>({});
  const { key } = opened;
  const held = useRef<{ element: Element; top: number }>(undefined);
  const hold = (element: Element | null) => {
    if (element !== null) held.current = { element, top: element.getBoundingClientRect().top };
  };
  const close = (which: number) => {
    onTurn();
    setOpened((now) => (now.key === which ? {} : now));
  };
  useLayoutEffect(() => {
    const { current } = held;
    held.current = undefined;
    if (current === undefined) return;
    // After the browser has kept what it keeps by itself.
    const frame = requestAnimationFrame(() => {
      if (!current.element.isConnected) return;
      window.scrollBy(0, current.element.getBoundingClientRect().top - current.top);
    });
    return () => cancelAnimationFrame(frame);
  }, [key]);
  useEffect(() => {
    if (key === undefined) return;
    return onceElsewhere(blockOf(key), (target) => (hold(target), close(key)));
  }, [key]);
  return {
    ...opened,
    key,
    around: opened.around,
    open(which, around) {
      if (which === undefined) return;
      onTurn();
      hold(blockOf(which));
      setOpened({ key: which, around });
    },
    close,
  };
}

function blockOf(key: number): Element | null {
  return document.querySelector(`.edited[data-key="${key}"]`);
}

/** Calls back when somebody clicks outside of an element, or leaves it by the Tab key. */
function onceElsewhere(element: Element | null, leave: (target: Element | null) => void) {
  if (element === null) return undefined;
  const stopped = new AbortController();
  const { signal } = stopped;
  const isInside = (event: Event) => event.composedPath().includes(element);
  const elementOf = ({ target }: Event) => (target instanceof Element ? target : null);
  let isByTab = false;
  /** A selection that begins inside may end outside. */
  let isPressedInside = false;
  const pressed = (event: Event) => {
    isByTab = false;
    isPressedInside = isInside(event);
  };
  const clicked = (event: Event) => {
    if (!isInside(event) && !isPressedInside) leave(elementOf(event));
    isPressedInside = false;
  };
  const entered = (event: Event) => {
    if (isByTab && !isInside(event)) leave(elementOf(event));
  };
  const typed = (event: KeyboardEvent) => void (isByTab = event.key === "Tab");
  document.addEventListener("pointerdown", pressed, { signal, capture: true });
  document.addEventListener("click", clicked, { signal });
  document.addEventListener("focusin", entered, { signal });
  document.addEventListener("keydown", typed, { signal, capture: true });
  return () => stopped.abort();
}
