import {
  attemptText,
  type AttributesResultData,
  type ChangedExperiment,
  type ExperimentRecord,
  type Liveness,
} from "@lossless/client";
import { lifeOf } from "../../parts/liveness.ts";
import { TagChip } from "../../parts/tag-chip.tsx";
import { Prose } from "../../parts/prose.tsx";
import { useEffect, useState } from "preact/hooks";
import { countedText, durationText, statusSigns, timeText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import { tagAddress } from "../../tags/tag-query.ts";
import { tagsIn } from "../../tags/tags.ts";
import { Attempts } from "./attempts.tsx";
import { timesOf } from "./times.ts";
import { notesOf, tagOf } from "./written.ts";

/** Milliseconds between updates of the ages of a running experiment. */
const agesEveryMs = 5_000;

interface Props {
  service: Service;
  record: ExperimentRecord;
  state: ChangedExperiment;
  problem: string | undefined;
  /** Attributes written by MLflow's clients; undefined: not known. */
  attributes: AttributesResultData | undefined;
  /** Names of its folders from the root; empty: it is in none, or they are not known yet. */
  folder: string;
  /** Whether the description stands here, and not in the part below. */
  hasNotes: boolean;
}

/** The name of the experiment, and its status. */
export function Head({ service, record, state, attributes, problem, folder, hasNotes }: Props) {
  const { slug, status, error, errorMeta, statusAtMs } = record;
  const { startedAtMs, beganAtMs, endedAtMs } = timesOf(record, attributes);
  const isOther = beganAtMs < startedAtMs && endedAtMs !== null && endedAtMs < startedAtMs;
  const name = attributes?.name ?? slug;
  const notes = hasNotes ? notesOf(record, attributes?.tags) : "";
  const [, setTick] = useState(0);
  useEffect(() => {
    if (status !== "running") return;
    const timer = setInterval(() => setTick((tick) => tick + 1), agesEveryMs);
    return () => clearInterval(timer);
  }, [status]);
  // A silence is stated without guessing its cause.
  const life = lifeOf({ ...state, status, statusAtMs }, Date.now());
  const end = endedAtMs ?? Date.now();
  return (
    <header class="experiment-head">
      <h1>
        {name} {name !== slug && <bdi class="slug">{slug}</bdi>}
      </h1>
      <p class="facts">
        <span class={`status ${status}`}>
          <span aria-hidden="true">{statusSigns[status]}</span> <span>{status}</span>
        </span>
        <span>began {timeText(beganAtMs)}</span>
        <span>
          {status === "running" ? "for" : "took"} {durationText(end - beganAtMs)}
        </span>
        {isOther && <span>recorded here {timeText(startedAtMs)}</span>}
        {life !== undefined && <span class={life.isBad ? "silent" : ""}>{life.text}</span>}
        <span>{countedText(state.points, "point")}</span>
        {attributes !== undefined && <RunFacts {...attributes} status={status} />}
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
      {hasNotes && <Tags tags={tagsIn(record.meta._tags)} />}
      {notes !== "" && <Notes key={record.experimentId} text={notes} />}
      {error !== null && <pre class="error-text">{error}</pre>}
      {errorMeta !== null && Object.keys(errorMeta).length > 0 && (
        <details>
          <summary>Details of the error</summary>
          <pre class="meta">{JSON.stringify(errorMeta, undefined, 2)}</pre>
        </details>
      )}
      {state.liveness !== undefined && (
        <AttemptsPart
          {...{ service, experimentId: record.experimentId, liveness: state.liveness }}
        />
      )}
    </header>
  );
}

/** Characters that a line has room for on most screens. */
const lineCharacters = 120;

/** The first line of the description; the others are shown on demand. */
function Notes({ text }: { text: string }) {
  const [isWhole, setIsWhole] = useState(false);
  if (text.length <= lineCharacters && !text.trim().includes("\n"))
    return (
      <div class="description">
        <Prose text={text} />
      </div>
    );
  return (
    <div class="description" data-whole={isWhole}>
      <div>
        <Prose text={text} />
      </div>
      <button
        type="button"
        class="copy"
        aria-expanded={isWhole}
        aria-label={isWhole ? "show less of the description" : "show all of the description"}
        onClick={() => setIsWhole(!isWhole)}
      >
        {isWhole ? "show less" : "show all"}
      </button>
    </div>
  );
}

/** The tags; the overview has them with other labels. */
function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null;
  return (
    <ul class="labels" aria-label="Tags">
      {tags.map((tag) => (
        <li key={tag}>
          <TagChip tag={tag} href={tagAddress(tag)} />
        </li>
      ))}
    </ul>
  );
}

interface AttemptsPartProps {
  service: Service;
  experimentId: string;
  liveness: Liveness;
}

/** The attempts, which are read when they are opened. */
function AttemptsPart({ service, experimentId, liveness }: AttemptsPartProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="attempts-part" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {countedText(liveness.attempts, "attempt")}, {attemptText(liveness)}
      </summary>
      {isOpen && <Attempts {...{ service, experimentId, liveness }} />}
    </details>
  );
}

const usualWords: Readonly<Record<ExperimentRecord["status"], string>> = {
  running: "RUNNING",
  done: "FINISHED",
  error: "FAILED",
};

/** Facts by MLflow's clients beyond those of the experiment. */
function RunFacts({
  run,
  tags,
  irregularPoints,
  status,
}: Pick<AttributesResultData, "run" | "tags" | "irregularPoints"> &
  Pick<ExperimentRecord, "status">) {
  const parent = tagOf(tags, "mlflow.parentRunId");
  return (
    <>
      {irregularPoints > 0 && (
        <span title="NaN, infinities, and steps that charts cannot show. MLflow's clients can read them.">
          {countedText(irregularPoints, "more value")} that cannot be drawn
        </span>
      )}
      {run !== null && run.status !== usualWords[status] && <span>{run.status.toLowerCase()}</span>}
      {run !== null && run.user !== "" && (
        <span>
          by <bdi>{run.user}</bdi>
        </span>
      )}
      {parent !== undefined && (
        <span>
          child of <a href={`/experiments/${encodeURIComponent(parent)}`}>its parent run</a>
        </span>
      )}
      {run?.isDeleted === true && <span>deleted by an MLflow client</span>}
    </>
  );
}
