import { meantSearches } from "@lossless/protocol/meant-searches";
import { useState } from "preact/hooks";
import { namePattern } from "../../pages/experiment/sections.ts";
import { Meant } from "../../parts/meant.tsx";
import { toggled } from "../../parts/toggled.ts";
import { countText } from "../../parts/words.ts";
import { namesOf } from "./placed.ts";

interface Props {
  legend: string;
  /** The metrics of the page. */
  names: readonly string[];
  /** Names and patterns. */
  chosen: readonly string[];
  /** Whether a pattern may be chosen, too. */
  hasPatterns?: boolean;
  onChange: (chosen: string[]) => void;
}

/** Names listed at most: more are found by a search. */
const listedMax = 100;

/** Chooses metrics from a list, or all that a pattern finds now and later. */
export function MetricsField({ legend, names, chosen, hasPatterns = true, onChange }: Props) {
  const [text, setText] = useState("");
  const search = text.trim();
  const isPattern = hasPatterns && search.includes("*");
  const { test } = namePattern(search);
  const found = isPattern ? namesOf([search], names) : names.filter(test);
  const rest = found.filter((name) => !chosen.includes(name)).slice(0, listedMax);
  const add = (line: string) => (onChange([...chosen, line]), setText(""));
  return (
    <fieldset class="metrics-field">
      <legend>{legend}</legend>
      <ul class="chosen">
        {chosen.map((line) => (
          <li key={line}>
            <button
              type="button"
              aria-label={`Remove ${line}`}
              onClick={() => onChange(toggled(chosen, line))}
            >
              {line} <span aria-hidden="true">✕</span>
            </button>
            {line.includes("*") && (
              <span class="count">{countText(namesOf([line], names).length)} now</span>
            )}
          </li>
        ))}
      </ul>
      <input
        type="search"
        aria-label={hasPatterns ? "Search metrics, or a pattern such as */loss" : "Search metrics"}
        placeholder={hasPatterns ? "Search, or a pattern: */loss" : "Search metrics"}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {isPattern && !chosen.includes(search) && (
        <button type="button" class="strong" onClick={() => add(search)}>
          add all that {search} finds: {countText(found.length)} now
        </button>
      )}
      <ul class="found" aria-label="Metrics">
        {rest.map((name) => (
          <li key={name}>
            <button type="button" onClick={() => add(name)}>
              + {name}
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && search !== "" && (
        <p>
          No metric has this name. <Meant names={meantSearches(search, names)} onChoose={setText} />
        </p>
      )}
    </fieldset>
  );
}
