import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useFocusAgain } from "./focus-again.ts";

/** Whether the list of a chart's values is open, and how to open and close it. */
export interface OpenValues {
  hasValues: boolean;
  onValues: () => void;
  /**
   * Returns what was typed since it was opened; undefined: it was taken before. The list, which is
   * loaded, takes the focus with it.
   */
  takeTyped: () => string | undefined;
}

/** The list of values of a chart: closed, it gives the focus back. */
export function useOpenValues(figure: RefObject<HTMLElement | null>): OpenValues {
  const [hasValues, setHasValues] = useState(false);
  const show = useFocusAgain(figure, setHasValues);
  const held = useRef<HeldKeys | undefined>(undefined);
  const stop = () => {
    held.current?.stop();
    held.current = undefined;
  };
  useEffect(() => stop, []);
  const close = () => {
    stop();
    show(false);
  };
  const onValues = () => {
    if (hasValues) return close();
    held.current = new HeldKeys(close);
    show(true);
  };
  const takeTyped = () => {
    const typed = held.current?.typed;
    stop();
    return typed;
  };
  return { hasValues, onValues, takeTyped };
}

/** Keys pressed before the list is there, which are not the page's. */
class HeldKeys {
  typed = "";
  readonly #stopped = new AbortController();
  readonly #close: () => void;

  constructor(close: () => void) {
    this.#close = close;
    const { signal } = this.#stopped;
    document.addEventListener("keydown", (event) => this.#press(event), { capture: true, signal });
    document.addEventListener("pointerdown", () => this.stop(), { capture: true, signal });
  }

  stop(): void {
    this.#stopped.abort();
  }

  #press(event: KeyboardEvent): void {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || key === "Shift") return;
    const isElsewhere = target instanceof Element && target.closest(fields) !== null;
    if (isElsewhere || !this.#take(key)) return this.stop();
    event.preventDefault();
    event.stopPropagation();
  }

  #take(key: string): boolean {
    if (key === "Escape") this.#close();
    else if (key === "Backspace") this.typed = this.typed.slice(0, -1);
    else if (key.length === 1) this.typed += key;
    else return false;
    return true;
  }
}

const fields = "input, textarea, select, dialog";
