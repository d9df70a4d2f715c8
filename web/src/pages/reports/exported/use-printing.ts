import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { messageOf } from "../../../parts/words.ts";
import { readWhole } from "./read-whole.ts";

/**
 * A function that prints a report when all of it is read; Ctrl and p call it, too. A browser's menu
 * does not wait: paper then says what was not read.
 */
export function usePrinting(
  sheet: { readonly current: HTMLElement | null },
  whole: Signal<boolean>,
  tell: (words: string) => void,
): () => void {
  const reading = useRef<AbortController>(undefined);
  const print = async () => {
    reading.current?.abort(new Error("Printing begins again."));
    const own = (reading.current = new AbortController());
    try {
      await readWhole(sheet.current!, whole, tell, own.signal);
      tell("");
      window.print();
    } catch (error) {
      if (reading.current === own) tell(messageOf(error));
    }
  };
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isPrint = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key === "p";
      if (!isPrint) return;
      event.preventDefault();
      void print();
    };
    // Not at once after the call: some browsers go on while they print.
    const end = () => void (whole.value = false);
    addEventListener("keydown", press);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("keydown", press);
      removeEventListener("afterprint", end);
      reading.current?.abort(new Error("The page was left."));
    };
  }, [whole]);
  return () => void print();
}
