import { readQuery } from "@lossless/protocol/query-language";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type AskFields, type Choice, useCompletions } from "./use-completions.ts";

/** So long the table waits after a key: the next one may follow. */
const pauseMs = 120;

/**
 * A query while it is written: the table follows whatever can be read, and what cannot be stays
 * here. A choice that was taken takes the place of the word at the caret. A page that is left waits
 * no more, before the next one is painted: that one would get the query into its address.
 */
export function useQueryDraft(query: string, ask: AskFields, onChange: (query: string) => void) {
  const [draft, setDraft] = useState(query);
  const [caret, setCaret] = useState(query.length);
  const [isOpen, setIsOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const input = useRef<HTMLInputElement | null>(null);
  const sent = useRef(query);
  const placed = useRef<number>(undefined);
  const { marks, error } = readQuery(draft);
  const { start = 0, end = 0, choices } = useCompletions(draft, caret, isOpen, ask);
  const isListed = isOpen && choices.length > 0;

  if (query !== sent.current) {
    // From a view or the browser's history, and not what was typed here.
    sent.current = query;
    setDraft(query);
  }
  useLayoutEffect(() => {
    if (error !== undefined || draft === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = draft;
      onChange(draft);
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [draft]);
  useLayoutEffect(() => {
    if (placed.current !== undefined)
      input.current?.setSelectionRange(placed.current, placed.current);
    placed.current = undefined;
  });

  const write = (text: string, at: number) => {
    setDraft(text);
    setCaret(at);
    setChosen(-1);
    setIsOpen(true);
  };
  const take = ({ text }: Choice) => {
    const taken = text + (text.endsWith(".") || draft[end] === " " ? "" : " ");
    placed.current = start + taken.length;
    write(draft.slice(0, start) + taken + draft.slice(end), placed.current);
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      setIsOpen(true);
      if (choices.length > 0) setChosen((chosen + step + choices.length) % choices.length);
    } else if ((event.key === "Enter" || event.key === "Tab") && isListed && chosen >= 0)
      take(choices[chosen]);
    else if (event.key === "Escape" && isListed) setIsOpen(false);
    else if (event.key === "Escape") input.current?.blur();
    else if (event.key === "Enter") setIsOpen(false);
    else return;
    event.preventDefault();
  };
  return {
    draft,
    marks,
    error,
    choices,
    chosen,
    isListed,
    input,
    take,
    write,
    press,
    setCaret,
    close: () => setIsOpen(false),
  };
}
