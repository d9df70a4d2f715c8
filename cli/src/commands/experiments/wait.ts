import type { Waited, WaitReply } from "@lossless/client";
import { parseCondition } from "@lossless/protocol/condition";
import { readValue } from "@lossless/protocol/query-value";
import { type Invocation, onlyPositional, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { Interruption } from "../../interruption.ts";
import { namedExperiment } from "../../named-experiment.ts";
import { OutageNotices } from "../../outage-notices.ts";
import { countedText, type Output, printable } from "../../output.ts";
import { pointed } from "../../pointed.ts";

/** Exit codes, beside 0 for a condition that holds. */
const exitCodes = { holds: 0, ended: 3, timeout: 4 } as const;
/** Milliseconds in which the service has to answer first; later it may be away for any time. */
const firstAnswerMs = 30_000;

export const wait = serviceCommand({
  usage: "wait SLUG [--until CONDITION] [--timeout DURATION]",
  help: `
Waits until a condition holds for a run, and says what it was then. The service tests it, and answers
when it holds.

  --until CONDITION  done (the default): the run is done; silent: nothing is heard of it; or tests of the query
                     language (docs/query.md), in which a name that is no field is a metric: 'val/loss < 3.3',
                     'val/loss.min < 3.3 and points > 10000', 'status = error or silent > 1h'.
                     Of a metric without a statistic its last value is tested.
  --timeout DURATION gives up after this time, such as 90s, 10m, 2h or 7d; by default never

Exit codes: 0 the condition holds, 3 the run has ended without it, 4 the time is over, 1 another failure, 2 a wrong
command line. A run has ended when its status is done or error, or a minute after the end of its last process. While
the service is away the command waits on.`,
  options: { until: { type: "string" }, timeout: { type: "string" } },
  async run(invocation) {
    const { values, output } = invocation;
    const slug = onlyPositional(invocation, "experiment by its slug");
    const until = values.text("until") ?? "done";
    pointed("until", until, parseCondition);
    const timeoutMs = timeoutOf(invocation);
    const outages = new OutageNotices((sentence) => output.warning(printable(sentence)));
    const client = clientOf(invocation, firstAnswerMs, outages.service);
    using _interruption = new Interruption(() => output.failure("stopped", "interrupted"));
    const { experimentId } = await namedExperiment(client, slug, () =>
      client.experiment({ experimentSlug: slug }),
    );
    const noteMissing = missingNotes(output);
    const waited = await client.waitUntil({ experimentId }, until, {
      timeoutMs,
      onWaiting: noteMissing,
    });
    output.answer({ until, ...waited }, () => printable(sentence(until, waited)));
    return exitCodes[waited.outcome];
  },
});

function timeoutOf({ values }: Invocation): number {
  const text = values.text("timeout");
  if (text === undefined) return Infinity;
  const duration = readValue({ kind: "word", text, start: 0, end: text.length });
  if (duration.kind === "duration" && duration.milliseconds >= 0) return duration.milliseconds;
  throw new UsageError(`--timeout must be a duration such as 90s, 10m, 2h or 7d, not ${text}`);
}

/** Says once of each metric that the run has none of that name so far. */
function missingNotes(output: Output): (state: WaitReply) => void {
  const told = new Set<string>();
  return ({ missing }) => {
    for (const one of missing) {
      if (told.has(one.field)) continue;
      told.add(one.field);
      output.warning(printable(`there is no ${missingText(one)} so far`));
    }
  };
}

function missingText({ field, near }: WaitReply["missing"][number]): string {
  return near.length === 0 ? field : `${field} (did you mean ${near.join(" or ")}?)`;
}

function sentence(until: string, { outcome, slug, missing, ...state }: Waited): string {
  const shown = state.values.filter(({ value }) => value !== null);
  const values = shown.map(({ field, value }) => `${field} = ${String(value)}`);
  const found = [...values, ...missing.map((one) => `no ${missingText(one)}`), standing(state)];
  const end = `(${found.join(", ")})`;
  if (outcome === "holds") return `${slug}: ${until} ${end}`;
  const how = outcome === "ended" ? "has ended without" : "has not reached in time:";
  return `${slug} ${how} ${until} ${end}`;
}

function standing({
  status,
  error,
  points,
  liveness,
}: Pick<Waited, "status" | "error" | "points" | "liveness">): string {
  const process = liveness === undefined ? "" : `, its process ${liveness.state}`;
  const reason = error === null ? "" : `: ${error}`;
  return `${status}${reason}${process}, ${countedText(points, "point")}`;
}
