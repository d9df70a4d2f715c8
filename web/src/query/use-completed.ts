import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Mend } from "./query-mends.ts";
import { type AskFields, type Choice, useCompletions } from "./use-completions.ts";

/** A text with completions at the caret. A chosen one replaces the word there. */
export function useCompleted(text: string, ask: AskFields, onText: (text: string) => void) {
  const [caret, setCaret] = useState(text.length);
  const [isOpen, setIsOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const input = useRef<HTMLInputElement | null>(null);
  const placed = useRef<number>(undefined);
  const { start = 0, end = 0, choices } = useCompletions(text, caret, isOpen, ask);
  const isListed = isOpen && choices.length > 0;

  useLayoutEffect(() => {
    if (placed.current !== undefined)
      input.current?.setSelectionRange(placed.current, placed.current);
    placed.current = undefined;
  });

  const write = (next: string, at: number) => {
    setCaret(at);
    setChosen(-1);
    setIsOpen(true);
    onText(next);
  };
  const take = (choice: Choice) => {
    const isWhole = choice.text.endsWith(".") || text[end] === " ";
    const taken = choice.text + (isWhole ? "" : " ");
    placed.current = start + taken.length;
    write(text.slice(0, start) + taken + text.slice(end), placed.current);
  };
  const mend = ({ query: mended, end: behind }: Mend) => {
    placed.current = behind;
    write(mended, behind);
    setIsOpen(false);
    input.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      setIsOpen(true);
      if (choices.length > 0) setChosen((chosen + step + choices.length) % choices.length);
    } else if ((event.key === "Enter" || event.key === "Tab") && isListed && chosen >= 0)
      take(choices[chosen]);
    else if (event.key === "Escape" && isListed) setIsOpen(false);
    else if (event.key === "Escape" && !isInDialog(input.current)) input.current?.blur();
    else if (event.key === "Enter") setIsOpen(false);
    else return;
    event.preventDefault();
  };
  const close = () => setIsOpen(false);
  return { input, choices, chosen, isListed, write, take, mend, press, setCaret, close };
}

/** There Escape closes the dialog. */
function isInDialog(input: HTMLInputElement | null): boolean {
  return input !== null && input.closest("dialog") !== null;
}
