import { limits } from "@lossless/protocol/limits";
import { useEffect, useState } from "preact/hooks";
import { comparedStats, type ComparedStat, type MetricOrder } from "../difference/metric-view.ts";

interface CountProps {
  count: number;
  max: number;
  onCount: (count: number) => void;
}

/** The size of side A. Applied on leaving the field or on Enter. */
export function CountChoice({ count, max, onCount }: CountProps) {
  const [text, setText] = useState(String(count));
  useEffect(() => setText(String(count)), [count]);
  const number = Number(text);
  const isCount = Number.isSafeInteger(number) && number > 0 && number <= max;
  return (
    <label>
      size of A
      <input
        inputMode="numeric"
        size={4}
        aria-invalid={!isCount}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={() => isCount && number !== count && onCount(number)}
      />
    </label>
  );
}

interface RankProps {
  rank: MetricOrder | undefined;
  /** Metrics whose names contain the text, out of `found` ones. */
  names: readonly string[];
  found: number;
  text: string;
  /** Whether it matters which values are best. */
  hasDirection?: boolean;
  onText: (text: string) => void;
  onRank: (rank: MetricOrder) => void;
}

/** Chooses a metric, and by default which of its values are best. */
export function RankChoice(props: RankProps) {
  const { rank, names, found, text, hasDirection = true, onText, onRank } = props;
  const isSearched = found > names.length || text !== "";
  const known = rank === undefined || names.includes(rank.name) ? names : [rank.name, ...names];
  return (
    <>
      <label>
        by
        <select
          value={rank?.name}
          aria-label="metric"
          onChange={(event) => {
            const name = event.currentTarget.value;
            onRank({ stat: "min", descending: false, ...rank, name });
          }}
        >
          {known.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {isSearched && (
        <input
          type="search"
          aria-label="Search metrics to choose from"
          placeholder={`Search ${found.toLocaleString("en")} metrics`}
          value={text}
          maxLength={limits.queryCharactersMax}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      )}
      {rank !== undefined && (
        <>
          <select
            value={rank.stat}
            aria-label="statistic"
            onChange={(event) =>
              onRank({ ...rank, stat: event.currentTarget.value as ComparedStat })
            }
          >
            {comparedStats.map((stat) => (
              <option key={stat} value={stat}>
                {stat}
              </option>
            ))}
          </select>
          {hasDirection && (
            <select
              value={rank.descending ? "most" : "least"}
              aria-label="which is best"
              onChange={(event) =>
                onRank({ ...rank, descending: event.currentTarget.value === "most" })
              }
            >
              <option value="least">lower is better</option>
              <option value="most">higher is better</option>
            </select>
          )}
        </>
      )}
    </>
  );
}

/** Help for making groups by hand. */
export function MarkHelp({ marked }: { marked: number }) {
  return (
    <p class="count">
      {marked === 0 ? "No experiment is marked yet. " : ""}
      In the list of compared experiments, press <kbd>a</kbd> or <kbd>b</kbd>, or use the buttons A
      and B, to put an experiment into a group. If you put none into B, it has all the others.
    </p>
  );
}
