import type { monitorEventLoopDelay } from "node:perf_hooks";
import { labelText, Registry } from "./registry.ts";

const secondsBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counters of the HTTP side, and the registry that prints them. */
export class Figures {
  readonly registry = new Registry();
  readonly requests = this.registry.counter(
    "lossless_http_requests_total",
    "Requests answered, by route and status.",
    ["route", "status"],
  );
  readonly requestSeconds = this.registry.histogram(
    "lossless_http_request_seconds",
    "Time from the arrival of the headers to the end of the reply.",
    secondsBounds,
    ["route"],
  );
  readonly rejected = this.registry.counter(
    "lossless_http_rejected_total",
    "Requests refused as a whole, by error code.",
    ["code"],
  );
  readonly connectionsRefused = this.registry.counter(
    "lossless_connections_refused_total",
    "Connections closed: too many of one address (address), of one organization (organization) or in all (all).",
    ["bound"],
  );
  readonly events = this.registry.counter(
    "lossless_events_total",
    "Events answered, by event and result (ok, or an error code).",
    ["event", "result"],
  );
  readonly pointsAcknowledged = this.registry.counter(
    "lossless_points_acknowledged_total",
    "Metric points acknowledged, duplicates included.",
  );
  readonly pointsDeduplicated = this.registry.counter(
    "lossless_points_deduplicated_total",
    "Metric points acknowledged again without being stored again.",
  );
  readonly streamsCut = this.registry.counter(
    "lossless_streams_cut_total",
    "Series streams ended early, by reason.",
    ["reason"],
  );
  readonly repliesCut = this.registry.counter(
    "lossless_replies_cut_total",
    "Connections closed because the client did not read its replies, streams and files included, by reason.",
    ["reason"],
  );
  readonly corruptions = this.registry.counter(
    "lossless_corruptions_total",
    "Stored data that did not match its checksum.",
  );
  readonly storageFailures = this.registry.counter(
    "lossless_storage_failures_total",
    "Failures that ended the service or were reported by background work.",
  );
}

/** Counters of the sweeper; `queue` only where the node sweeps. */
export interface SweeperFigures {
  readonly removed: number;
  readonly failed: number;
  readonly queue: { queued: number; failing: number; bytes: number } | undefined;
}

export function addSweeperFigures(registry: Registry, figures: SweeperFigures): void {
  registry.gauge(
    "lossless_removals_queued",
    "Abandoned uploads whose bytes are not removed yet; on the node that sweeps.",
    () => figures.queue?.queued,
  );
  registry.gauge(
    "lossless_removals_failing",
    "Abandoned uploads that a store has refused to remove; on the node that sweeps.",
    () => figures.queue?.failing,
  );
  registry.gauge(
    "lossless_removals_queued_bytes",
    "Upper bound of the abandoned uploads' bytes; on the node that sweeps.",
    () => figures.queue?.bytes,
  );
  registry.counted(
    "lossless_removals_total",
    "Abandoned uploads that this node removed.",
    () => figures.removed,
  );
  registry.counted(
    "lossless_removal_failures_total",
    "Failed removals of abandoned uploads by this node.",
    () => figures.failed,
  );
}

/** Organizations that the figures name, those that stored most first: there has to be a bound. */
export const shownOrganizations = 100;

/** Prints the stored amounts and maxima of organizations, by name. */
export function organizationFigures(
  organizations: readonly { name: string; used: object; maxima: object }[],
): string {
  const names = ["organization", "what"];
  const lines = (figure: string, of: "used" | "maxima"): string =>
    organizations
      .flatMap((one) =>
        Object.entries(one[of])
          .filter(([, value]) => value !== null)
          .map(([kind, value]) => {
            const what = kind === "uploads" ? "pending_uploads" : kind;
            return `${figure}${labelText(names, [one.name, what])} ${value}\n`;
          }),
      )
      .join("");
  const stored = "lossless_organization_stored";
  const quota = "lossless_organization_quota";
  return (
    `# HELP ${stored} The amount that an organization has stored, as its quota counts it.\n# TYPE ${stored} gauge\n` +
    lines(stored, "used") +
    `# HELP ${quota} The organization's quota; absent if there is no limit.\n# TYPE ${quota} gauge\n` +
    lines(quota, "maxima")
  );
}

export interface ProcessFigures {
  version: string;
  loopDelay: ReturnType<typeof monitorEventLoopDelay>;
}

/** Figures of the process itself. `loopDelay` is reset by each reading. */
export function addProcessFigures(
  registry: Registry,
  { version, loopDelay }: ProcessFigures,
): void {
  registry.gauge(
    "lossless_build_info",
    "Constant 1; the labels have the versions.",
    () => 1,
    `{version="${version}",node="${process.versions.node}"}`,
  );
  registry.gauge("process_start_time_seconds", "Unix time of the start.", () =>
    Math.round(Date.now() / 1_000 - process.uptime()),
  );
  registry.gauge("process_resident_memory_bytes", "Resident memory.", () =>
    process.memoryUsage.rss(),
  );
  registry.gauge("nodejs_heap_used_bytes", "JavaScript heap of the main thread in use.", () => {
    return process.memoryUsage().heapUsed;
  });
  registry.counted("process_cpu_seconds_total", "User and system time of all threads.", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  registry.gauge("nodejs_eventloop_lag_p50_seconds", "Delay of the event loop, median.", () =>
    loopDelay.count === 0 ? 0 : loopDelay.percentile(50) / 1e9,
  );
  registry.gauge(
    "nodejs_eventloop_lag_p99_seconds",
    "Delay of the event loop, 99th percentile.",
    () => (loopDelay.count === 0 ? 0 : loopDelay.percentile(99) / 1e9),
  );
  registry.gauge(
    "nodejs_eventloop_lag_max_seconds",
    "Longest delay since the last reading.",
    () => {
      const max = loopDelay.count === 0 ? 0 : loopDelay.max / 1e9;
      loopDelay.reset();
      return max;
    },
  );
}
