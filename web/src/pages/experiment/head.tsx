import type { ChangedExperiment, ExperimentRecord } from "@lossless/client";
import { useEffect, useState } from "preact/hooks";
import { countText, durationText, silentFromMs, statusSigns, timeText } from "../../parts/words.ts";

/** Times of a running experiment are told anew so often. */
const agesEveryMs = 5_000;

interface Props {
  record: ExperimentRecord;
  state: ChangedExperiment;
  problem: string | undefined;
  /** Names on the way to its folder; empty: it is in none, or they are not known yet. */
  folder: string;
}

/** What the experiment is called, and how it is. */
export function Head({ record, state, problem, folder }: Props) {
  const { slug, status, description, error, errorMeta, createdAtMs, statusAtMs } = record;
  const [, setTick] = useState(0);
  useEffect(() => {
    if (status !== "running") return;
    const timer = setInterval(() => setTick((tick) => tick + 1), agesEveryMs);
    return () => clearInterval(timer);
  }, [status]);
  // It is stated, and not guessed what it means.
  const silentMs = status === "running" ? Date.now() - (state.appendedAtMs ?? statusAtMs) : 0;
  const end = status === "running" ? Date.now() : statusAtMs;
  return (
    <header class="experiment-head">
      <h1>{slug}</h1>
      <p class="facts">
        <span class={`status ${status}`}>
          <span aria-hidden="true">{statusSigns[status]}</span> <span>{status}</span>
        </span>
        <span>began {timeText(record.startedAtMs ?? createdAtMs)}</span>
        <span>
          {status === "running" ? "for" : "took"}{" "}
          {durationText(end - (record.startedAtMs ?? createdAtMs))}
        </span>
        {silentMs >= silentFromMs && <span class="silent">silent {durationText(silentMs)}</span>}
        <span>{countText(state.points)} points</span>
        {record.folderId !== null && folder !== "" && (
          <span>
            in{" "}
            <a href={`/experiments?folder=${encodeURIComponent(record.folderId)}`}>
              <bdi>{folder}</bdi>
            </a>
          </span>
        )}
        {problem !== undefined && <span role="alert">not up to date: {problem}</span>}
      </p>
      {description !== "" && <p class="description">{description}</p>}
      {error !== null && <pre class="error-text">{error}</pre>}
      {errorMeta !== null && Object.keys(errorMeta).length > 0 && (
        <details>
          <summary>What the error says besides</summary>
          <pre class="meta">{JSON.stringify(errorMeta, undefined, 2)}</pre>
        </details>
      )}
    </header>
  );
}
