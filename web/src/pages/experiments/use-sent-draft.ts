import { readQuery } from "@lossless/protocol/query-language";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Milliseconds after a key before the table follows: another key may follow. */
const pauseMs = 120;

/** Milliseconds without a key after which another query begins, if this one is applied. */
const endMs = 1000;

/**
 * A query being typed: the table follows whenever it parses and no key follows; errors stay in the
 * field, and `isUnread` says that the table has the rows of the query before. Enter, a pause and
 * leaving the field end it: the next key begins another one. Leaving the page cancels the wait
 * before the next page is painted, whose address would otherwise get the query.
 */
export function useSentDraft(query: string, onChange: OnDraft) {
  const [draft, setDraft] = useState(query);
  const sent = useRef(query);
  const isTyping = useRef(false);
  const typedAtMs = useRef(0);
  const { error } = readQuery(draft);
  if (query !== sent.current) {
    // From a view or the browser's history, and not typed here.
    sent.current = query;
    isTyping.current = false;
    setDraft(query);
  }
  const send = () => {
    if (error !== undefined || draft === sent.current) return;
    sent.current = draft;
    onChange(draft, !isTyping.current);
    isTyping.current = true;
  };
  useLayoutEffect(() => {
    if (error !== undefined || draft === sent.current) return;
    const timer = setTimeout(send, pauseMs);
    return () => clearTimeout(timer);
  }, [draft]);
  const type = (next: string) => {
    const nowMs = performance.now();
    if (draft === sent.current && nowMs - typedAtMs.current > endMs) isTyping.current = false;
    typedAtMs.current = nowMs;
    setIsLeft(false);
    setDraft(next);
  };
  const [isLeft, setIsLeft] = useState(false);
  const stop = () => {
    isTyping.current = false;
    setIsLeft(true);
  };
  const enter = () => {
    send();
    stop();
  };
  // While it is typed a query may lack its end.
  const isUnfinished = !isLeft && error !== undefined && error.position >= draft.trimEnd().length;
  const isUnread = error !== undefined && draft !== query && !isUnfinished;
  return { draft, type, stop, enter, isUnread };
}

/** Takes a query that parses. `isFirst`: it is the first change of another query. */
type OnDraft = (query: string, isFirst: boolean) => void;
