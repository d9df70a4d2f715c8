import { readQuery } from "@lossless/protocol/query-language";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type AskFields, type Choice, useCompletions } from "./use-completions.ts";

/** Milliseconds after a key before the table follows: another key may follow. */
const pauseMs = 120;

/**
 * A query being typed: the table follows whenever it parses, and errors stay here. A chosen
 * completion replaces the word at the caret. Leaving the page cancels the wait before the next page
 * is painted, whose address would otherwise get the query.
 */
export function useQueryDraft(query: string, ask: AskFields, onChange: OnDraft) {
  const { draft, setDraft, marks, error, stop } = useSentDraft(query, onChange);
  const [caret, setCaret] = useState(query.length);
  const [isOpen, setIsOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const input = useRef<HTMLInputElement | null>(null);
  const placed = useRef<number>(undefined);
  const { start = 0, end = 0, choices } = useCompletions(draft, caret, isOpen, ask);
  const isListed = isOpen && choices.length > 0;

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
    close: () => {
      setIsOpen(false);
      stop();
    },
  };
}

/** Takes a query that parses. `isFirst`: it is the first change since the field got the focus. */
type OnDraft = (query: string, isFirst: boolean) => void;

/** The text in the field, which is sent as a query when it parses and no key follows. */
function useSentDraft(query: string, onChange: OnDraft) {
  const [draft, setDraft] = useState(query);
  const sent = useRef(query);
  const isTyping = useRef(false);
  const { marks, error } = readQuery(draft);
  if (query !== sent.current) {
    // From a view or the browser's history, and not typed here.
    sent.current = query;
    isTyping.current = false;
    setDraft(query);
  }
  useLayoutEffect(() => {
    if (error !== undefined || draft === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = draft;
      onChange(draft, !isTyping.current);
      isTyping.current = true;
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [draft]);
  const stop = () => {
    isTyping.current = false;
  };
  return { draft, setDraft, marks, error, stop };
}
