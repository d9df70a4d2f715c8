import { readQuery } from "@lossless/protocol/query-language";
import type { RefObject } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { leastText } from "../parts/words.ts";
import { ProblemOfQuery } from "./problem-of-query.tsx";
import { onlyMend } from "./query-mends.ts";
import { piecesOf } from "./query-pieces.ts";
import { useCompleted } from "./use-completed.ts";
import type { AskFields, Choice } from "./use-completions.ts";
import { type AskNear, useQueryProblem } from "./use-query-problem.ts";

interface Props {
  label: string;
  /** Whether the label stands above the field. */
  isLabelled?: boolean;
  placeholder: string;
  text: string;
  /** Takes each change, also of a query that cannot be read. */
  onText: (text: string) => void;
  onLeave?: () => void;
  /** After Enter that neither mends nor completes the query. */
  onEnter?: () => void;
  /** The fields of the columns that stand below it. */
  columns?: readonly string[];
  input?: RefObject<HTMLInputElement | null>;
  /** The same function each time, as is `askNear`. */
  ask: AskFields;
  askNear: AskNear;
}

const none: readonly string[] = [];

/**
 * A line of the query language: an input with transparent text, above a coloured copy. Errors are
 * described below it, in a row of their own. Enter takes the one field that a name can mean.
 */
export function QueryField(props: Props) {
  const { label, isLabelled = false, placeholder, text, onText, onLeave, onEnter } = props;
  const { columns = none, input, ask, askNear } = props;
  const id = useId();
  const field = useCompleted(text, ask, onText);
  const { chosen, isListed } = field;
  const { marks, error } = readQuery(text);
  const [isFocused, setIsFocused] = useState(false);
  const copy = useRef<HTMLDivElement>(null);
  const problem = useQueryProblem(text, error, columns, askNear);
  const isUnfinished = isFocused && error !== undefined && error.position >= text.trimEnd().length;
  return (
    <>
      {isLabelled && <label for={`${id}-input`}>{label}</label>}
      <div class="query-field">
        <Coloured {...{ text, marks, copy }} wrongAt={error?.position} />
        <input
          id={`${id}-input`}
          ref={(found) => {
            field.input.current = found;
            if (input !== undefined) input.current = found;
          }}
          type="text"
          role="combobox"
          aria-label={isLabelled ? undefined : label}
          aria-expanded={isListed}
          aria-controls={`${id}-choices`}
          aria-autocomplete="list"
          aria-activedescendant={isListed && chosen >= 0 ? `${id}-${chosen}` : undefined}
          aria-invalid={error !== undefined && !isUnfinished}
          aria-describedby={`${id}-error`}
          placeholder={placeholder}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          value={text}
          onInput={({ currentTarget }) =>
            field.write(currentTarget.value, currentTarget.selectionStart ?? 0)
          }
          onSelect={({ currentTarget }) => field.setCaret(currentTarget.selectionStart ?? 0)}
          onScroll={({ currentTarget }) => copy.current?.scrollTo(currentTarget.scrollLeft, 0)}
          onKeyDown={(event) => {
            const mend = onlyMend(problem.mends);
            if (event.key !== "Enter" || chosen >= 0) return field.press(event);
            if (mend !== undefined) return field.mend(mend);
            field.press(event);
            onEnter?.();
          }}
          onFocus={() => setIsFocused(true)}
          onBlur={() => {
            setIsFocused(false);
            field.close();
            onLeave?.();
          }}
        />
        <p id={`${id}-error`} class={isUnfinished ? "soft" : ""} aria-live="polite">
          {isUnfinished && `Next, type ${error.expected}.`}
          {error !== undefined && !isUnfinished && (
            <ProblemOfQuery {...problem} onMend={field.mend} />
          )}
        </p>
        <Choices {...{ id, field }} />
      </div>
    </>
  );
}

interface ColouredProps {
  text: string;
  marks: ReturnType<typeof readQuery>["marks"];
  /** Where the text cannot be read. */
  wrongAt: number | undefined;
  copy: RefObject<HTMLDivElement | null>;
}

function Coloured({ text, marks, wrongAt, copy }: ColouredProps) {
  return (
    <div class="coloured" aria-hidden="true" ref={copy}>
      {piecesOf(text, marks, wrongAt).map((piece) => (
        <span data-role={piece.role}>{piece.text}</span>
      ))}
    </div>
  );
}

function Choices({ id, field }: { id: string; field: ReturnType<typeof useCompleted> }) {
  const { choices, chosen, isListed } = field;
  return (
    <ul id={`${id}-choices`} role="listbox" aria-label="Completions" hidden={!isListed}>
      {choices.map((choice, at) => (
        <ChoiceLine
          key={choice.text}
          choice={choice}
          id={`${id}-${at}`}
          isChosen={at === chosen}
          onTake={() => field.take(choice)}
        />
      ))}
    </ul>
  );
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
