import { useEffect, useRef, useState } from "preact/hooks";
import { countedText, countText } from "../../../parts/words.ts";
import type { Query, Search } from "./search.ts";

/** Milliseconds after the last letter, when it is searched without Enter. */
const restMs = 400;

interface Props {
  query: Query;
  search: Search | undefined;
  /** The chosen line, which may be a hit. */
  chosen: number | undefined;
  onQuery: (part: Partial<Query>) => void;
  /** Goes to the next hit, or to the previous one. */
  onFind: (direction: 1 | -1) => void;
}

/** Searches the console: a text or a regular expression, with the number of lines that match. */
export function SearchField({ query, search, chosen, onQuery, onFind }: Props) {
  const { draft, setDraft, submit } = useDraft(query.text, (text) => onQuery({ text }));
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    // Escape would empty the field: it gives the keys back to the lines.
    event.preventDefault();
    if (event.key === "Escape") (event.currentTarget as HTMLElement).blur();
    else if (draft === query.text) onFind(event.shiftKey ? -1 : 1);
    else submit(draft);
  };
  return (
    <search class="console-search">
      <input
        type="search"
        aria-label="Search the console"
        aria-keyshortcuts="/"
        placeholder="Search the console"
        maxLength={1_000}
        value={draft}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onKeyDown={press}
      />
      <button
        type="button"
        aria-pressed={query.isPattern}
        title="Regular expression"
        aria-label="Regular expression"
        onClick={() => onQuery({ isPattern: !query.isPattern })}
      >
        .*
      </button>
      <button
        type="button"
        aria-pressed={query.matchesCase}
        title="Match capital and small letters"
        aria-label="Match capital and small letters"
        onClick={() => onQuery({ matchesCase: !query.matchesCase })}
      >
        Aa
      </button>
      {search !== undefined && <Hits {...{ search, chosen, onFind }} />}
    </search>
  );
}

/** The text that is being typed; it is searched when the hand rests. */
function useDraft(text: string, onText: (text: string) => void) {
  const [draft, setDraft] = useState(text);
  const written = useRef(text);
  useEffect(() => {
    // An address that was opened, not what is being typed.
    if (text !== written.current) setDraft((written.current = text));
  }, [text]);
  const submit = (next: string) => {
    written.current = next;
    if (next !== text) onText(next);
  };
  useEffect(() => {
    if (draft === text) return;
    const timer = setTimeout(() => submit(draft), restMs);
    return () => clearTimeout(timer);
  }, [draft, text]);
  return { draft, setDraft, submit };
}

interface HitsProps extends Pick<Props, "chosen" | "onFind"> {
  search: Search;
}

/** The number of lines that match, and the way from one to the next. */
function Hits({ search, chosen, onFind }: HitsProps) {
  return (
    <>
      <button
        type="button"
        aria-label="Previous hit"
        title="Previous hit (N)"
        onClick={() => onFind(-1)}
      >
        ↑
      </button>
      <button type="button" aria-label="Next hit" title="Next hit (n)" onClick={() => onFind(1)}>
        ↓
      </button>
      <span class="count" role="status">
        {searchText(search, chosen)}
      </span>
      {search.problem.value !== undefined && <span role="alert">{search.problem.value}</span>}
    </>
  );
}

/** Says how many lines match, and what has not been searched. */
function searchText(search: Search, chosen: number | undefined): string {
  const hits = search.hits.value.length;
  const { isFull, isComplete, isRunning, searched, total } = search;
  if (search.problem.value !== undefined && hits === 0) return "";
  const number = search.numberOf(chosen);
  const lines = countedText(hits, "line");
  const found = number === undefined ? lines : `${countText(number)} of ${lines}`;
  if (isFull.value)
    return `${found} in the first ${countText(searched.value)}, not counted further`;
  if (isComplete.value && !isRunning.value) return hits === 0 ? "no line matches" : found;
  if (total.value === 0) return "searching …";
  const share = Math.floor((100 * searched.value) / total.value);
  return `${found} so far, ${share} % searched …`;
}
