import { limits } from "@lossless/protocol/limits";
import type { ComponentChildren } from "preact";

interface Props {
  title: string;
  label: string;
  /** Totals in words, once known. */
  said: string | undefined;
  problem: string | undefined;
  search: { label: string; text: string; onText: (text: string) => void };
  choices: ComponentChildren;
  /** Undefined until something was read. */
  children: ComponentChildren;
}

/** A comparing table with its options. */
export function TablePanel({ title, label, said, problem, search, choices, children }: Props) {
  return (
    <section class="difference" aria-label={label}>
      <header>
        <h2>{title}</h2>
        {said !== undefined && (
          <p class="count" role="status">
            {said}
          </p>
        )}
        <div class="choices">
          <input
            type="search"
            aria-label={search.label}
            placeholder={search.label}
            value={search.text}
            maxLength={limits.queryCharactersMax}
            onInput={(event) => search.onText(event.currentTarget.value)}
          />
          {choices}
        </div>
      </header>
      {problem !== undefined && <p role="alert">not up to date: {problem}</p>}
      {children ?? (problem === undefined && <p class="count">…</p>)}
    </section>
  );
}
