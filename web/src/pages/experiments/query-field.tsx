import type { RefObject } from "preact";
import { useRef, useState } from "preact/hooks";
import { leastText } from "../../parts/words.ts";
import { piecesOf } from "./query-pieces.ts";
import type { AskFields, Choice } from "./use-completions.ts";
import { type AskNear, useErrorText } from "./use-error-text.ts";
import { useQueryDraft } from "./use-query-draft.ts";

interface Props {
  query: string;
  input: RefObject<HTMLInputElement | null>;
  ask: AskFields;
  askNear: AskNear;
  /** `isFirst`: it is the first change since the field got the focus. */
  onChange: (query: string, isFirst: boolean) => void;
}

/**
 * A line of the query language: an input with transparent text, above a coloured copy. Errors are
 * described below it.
 */
export function QueryField({ query, input, ask, askNear, onChange }: Props) {
  const field = useQueryDraft(query, ask, onChange);
  const { draft, marks, error, choices, chosen, isListed } = field;
  const [isFocused, setIsFocused] = useState(false);
  const copy = useRef<HTMLDivElement>(null);
  const errorText = useErrorText(error, askNear);
  const isUnfinished = error !== undefined && error.position >= draft.trimEnd().length;
  return (
    <div class="query-field">
      <div class="coloured" aria-hidden="true" ref={copy}>
        {piecesOf(draft, marks, error?.position).map(({ text, role }) => (
          <span class={role}>{text}</span>
        ))}
      </div>
      <input
        ref={(found) => {
          field.input.current = found;
          input.current = found;
        }}
        type="text"
        role="combobox"
        aria-label="Query"
        aria-expanded={isListed}
        aria-controls="query-choices"
        aria-autocomplete="list"
        aria-activedescendant={isListed && chosen >= 0 ? `choice-${chosen}` : undefined}
        aria-invalid={error !== undefined && !(isFocused && isUnfinished)}
        aria-describedby="query-error"
        placeholder="Words, or meta.lr > 0.01 and not slug ~ *concat*"
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        value={draft}
        onInput={({ currentTarget }) =>
          field.write(currentTarget.value, currentTarget.selectionStart ?? 0)
        }
        onSelect={({ currentTarget }) => field.setCaret(currentTarget.selectionStart ?? 0)}
        onScroll={({ currentTarget }) => copy.current?.scrollTo(currentTarget.scrollLeft, 0)}
        onKeyDown={field.press}
        onFocus={() => setIsFocused(true)}
        onBlur={() => {
          setIsFocused(false);
          field.close();
        }}
      />
      <p id="query-error" class={isFocused && isUnfinished ? "soft" : ""} aria-live="polite">
        {error !== undefined && (isFocused && isUnfinished ? hint(error.expected) : errorText)}
      </p>
      <ul id="query-choices" role="listbox" aria-label="Completions" hidden={!isListed}>
        {choices.map((choice, at) => (
          <ChoiceLine
            key={choice.text}
            choice={choice}
            id={`choice-${at}`}
            isChosen={at === chosen}
            onTake={() => field.take(choice)}
          />
        ))}
      </ul>
    </div>
  );
}

function hint(expected: string): string {
  return `Next, type ${expected}.`;
}

interface ChoiceProps {
  choice: Choice;
  id: string;
  isChosen: boolean;
  onTake: () => void;
}

function ChoiceLine({
  choice: { text, experiments, isMinimum = false },
  id,
  isChosen,
  onTake,
}: ChoiceProps) {
  return (
    <li
      id={id}
      role="option"
      aria-selected={isChosen}
      // Before the input loses the focus.
      onMouseDown={(event) => {
        event.preventDefault();
        onTake();
      }}
    >
      <bdi>{text}</bdi>
      {experiments !== undefined && <span class="count">{leastText(experiments, isMinimum)}</span>}
    </li>
  );
}
