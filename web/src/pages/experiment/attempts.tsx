import { type Attempt, attemptText, type AttemptProcess, type Liveness } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
import { useRead } from "../../parts/use-read.ts";
import { countedText, countText, spanText, timeText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";

interface Props {
  service: Service;
  experimentId: string;
  /** How the newest one is: they are read again when it changes. */
  liveness: Liveness;
}

/** The attempts of a run as lanes over time, with how each ended and from what that is known. */
export function Attempts({ service, experimentId, liveness }: Props) {
  const { attempts: count, state, sinceMs: since } = liveness;
  const { found, problem } = useRead(
    (stopped) => service.client.attempts.read({ experimentId }, stopped),
    [experimentId, count, state, since],
    state === "running" ? limits.attemptBeatMs : undefined,
  );
  if (found === undefined) return <p class="waiting">{problem ?? "…"}</p>;
  const { attempts, nowMs, total } = found;
  if (attempts.length === 0) return <p class="waiting">No process of this run has reported.</p>;
  const fromMs = attempts[0].beganAtMs;
  const toMs = Math.max(...attempts.map((attempt) => lastMs(attempt, nowMs)));
  return (
    <>
      <ol class="attempts" aria-label="Attempts">
        {attempts.map((attempt) => (
          <Lane key={attempt.id} {...{ attempt, nowMs, fromMs, toMs }} />
        ))}
      </ol>
      {total > attempts.length && (
        <p class="count">
          The newest {countText(attempts.length)} of {countText(total)}.
        </p>
      )}
    </>
  );
}

/** When the attempt ended, or was heard of last. */
function lastMs({ state, endedAtMs, beatAtMs }: Attempt, nowMs: number): number {
  return endedAtMs ?? (state === "running" ? nowMs : beatAtMs);
}

interface LaneProps {
  attempt: Attempt;
  nowMs: number;
  fromMs: number;
  toMs: number;
}

function Lane({ attempt, nowMs, fromMs, toMs }: LaneProps) {
  const { attempt: number, beganAtMs, processes, state, error, next } = attempt;
  const endMs = lastMs(attempt, nowMs);
  const share = (ms: number) => `${(100 * ms) / Math.max(1, toMs - fromMs)}%`;
  const bar = { left: share(beganAtMs - fromMs), width: share(endMs - beganAtMs) };
  return (
    <li>
      <span class="number">{number}</span>
      <span class="lane" aria-hidden="true">
        <span class={`lived ${state}`} style={bar} />
      </span>
      <span class="facts">
        <span class={`life ${state}`}>{standingText(attempt, nowMs)}</span>
        {error !== undefined && <bdi>{error}</bdi>}
        {next !== undefined && <span>{nextText(next)}</span>}
        <span>began {timeText(beganAtMs)}</span>
        <span>
          {state === "running" ? "for" : "ran"} {spanText(endMs - beganAtMs)}
        </span>
        <span>{stepsText(attempt)}</span>
      </span>
      <ul class="processes">
        {processes.slice(0, processesShown).map((process) => (
          <Process key={process.id} process={process} />
        ))}
        {processes.length > processesShown && (
          <li>
            and {countedText(processes.length - processesShown, "more process", "more processes")}
          </li>
        )}
      </ul>
    </li>
  );
}

/** Processes of an attempt that are listed: a launch may have thousands. */
const processesShown = 64;

function Process({ process }: { process: AttemptProcess }) {
  const { rank, host, processId, state, end, variables = [] } = process;
  const named = variables.map(({ name, value }) => `${name}=${value}`).join("\n");
  return (
    <li>
      <span title={named === "" ? undefined : named}>
        {rank !== undefined && `rank ${rank} `}
        {host !== undefined && (
          <>
            on <bdi>{host}</bdi>{" "}
          </>
        )}
        {processId !== undefined && `process ${processId}`}
      </span>
      <span class={`life ${state}`}>{attemptText({ state, ...end })}</span>
      {end?.evidence.map((sentence) => (
        <span key={sentence} class="soft">
          {sentence}
        </span>
      ))}
    </li>
  );
}

function standingText(attempt: Attempt, nowMs: number): string {
  const text = attemptText(attempt);
  return attempt.state === "silent" ? `${text} ${spanText(nowMs - attempt.sinceMs, 1)}` : text;
}

function nextText({ attempt, by }: NonNullable<Attempt["next"]>): string {
  return by === undefined
    ? `continued as attempt ${attempt}`
    : `restarted by ${by}, continued as attempt ${attempt}`;
}

function stepsText({ fromStep, toStep }: Attempt): string {
  if (toStep === undefined) return fromStep === undefined ? "" : `from step ${countText(fromStep)}`;
  return `steps ${countText(fromStep ?? 0)} to ${countText(toStep)}`;
}
