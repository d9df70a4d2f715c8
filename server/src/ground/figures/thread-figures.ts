import { labelText } from "./registry.ts";

/**
 * Prints the counters of the storage threads under their public names, in the Prometheus text
 * format. `statistics` has them by `<thread>_<name>`, the readers together. A counter without a
 * name here is printed under its own, without a description; a test ensures that there is none.
 */
export function threadFigures(statistics: Readonly<Record<string, number>>): string {
  const single = Object.entries(named).flatMap(([key, { name, kind, help }]) =>
    key in statistics ? [family(name, kind, help, [`${name} ${statistics[key]}`])] : [],
  );
  const memory = memories.map(({ suffix, name, help }) =>
    family(
      name,
      "gauge",
      help,
      threadsWith(statistics, suffix).map(
        ([thread, value]) => `${name}${labelText(["thread"], [thread])} ${value}`,
      ),
    ),
  );
  const workers = workerStates.map(({ suffix, name, help }) => {
    const samples = workersWith(statistics, suffix).map(
      ([worker, value]) => `${name}${labelText(["worker"], [worker])} ${value}`,
    );
    return family(name, "gauge", help, samples);
  });
  const unnamed = unnamedFigures(statistics).map((key) => {
    const name = `lossless_storage_${key}`;
    return `# TYPE ${name} untyped\n${name} ${statistics[key]}\n`;
  });
  return [...single, ...memory, ...workers, commits(statistics), ...unnamed].join("");
}

/** Counters of commits that took at most this many seconds. */
const commitsWithin = /^writer_commits_within_([\d.]+)$/;

interface Named {
  name: string;
  kind: "counter" | "gauge";
  help: string;
}

const named: Readonly<Record<string, Named>> = {
  writer_requests: counted("writes", "Write requests that groups of the writer have committed."),
  writer_points: counted("points", "Metric points in committed requests, duplicates included."),
  writer_conflicts_retried: counted(
    "commit_conflicts",
    "Groups committed again because another node had written to the same experiment.",
  ),
  writer_damaged_experiments: counted(
    "damaged_writes",
    "Writes refused because the experiment's stored data cannot be read.",
  ),
  writer_commit_seconds_max: {
    name: "lossless_storage_commit_seconds_max",
    kind: "gauge",
    help: "Longest commit of a group since the start.",
  },
  writer_queued: {
    name: "lossless_storage_writes_waiting",
    kind: "gauge",
    help: "Write requests that wait for the commit before them.",
  },
  reader_reads: counted("reads", "Reads of the reader threads, streams not included."),
  reader_streams: counted("streams", "Series streams and files of points that were opened."),
  reader_corruptions: counted("read_corruptions", "Reads that met damaged data."),
  reader_open_streams: {
    name: "lossless_storage_open_streams",
    kind: "gauge",
    help: "Series streams and files of points that are open.",
  },
  background_seals: counted("seals", "Logs sealed into segments."),
  background_sealed_points: counted("sealed_points", "Points sealed into segments."),
  background_merges: counted("merges", "Merges of neighbouring segments."),
  background_folds: counted("folds", "Turns in which new points were folded into summaries."),
  background_summary_rows: counted("folded_rows", "Rows of summaries written."),
  background_recounts: counted(
    "recounts",
    "Experiments whose summaries were counted from the start.",
  ),
  background_sealed_lines: counted(
    "sealed_lines",
    "Lines of consoles moved from the log to objects.",
  ),
  background_swept_objects: counted("swept_objects", "Sealed objects removed that nothing names."),
  background_purged: counted("purges", "Entries of the trash whose contents were removed."),
  background_retention_taken: counted(
    "retention_taken",
    "Experiments and versions that rules of retention moved to the trash.",
  ),
  background_purged_rows: counted("purged_rows", "Rows of the database removed with them."),
  background_purged_objects: counted("purged_objects", "Sealed objects removed with them."),
  background_failures: counted("background_failures", "Failed tries of background work."),
};

const memories = [
  {
    suffix: "_heap_bytes",
    name: "lossless_thread_heap_bytes",
    help: "JavaScript heap of storage threads in use.",
  },
  {
    suffix: "_buffer_bytes",
    name: "lossless_thread_buffer_bytes",
    help: "Buffers of storage threads outside of their heap.",
  },
];

/** Each worker has them (docs/decisions/0025-several-servers.md), by its number. */
const workerStates = [
  {
    suffix: "_answers",
    name: "lossless_worker_answers",
    help: "1 when the worker answers this process; 0: its experiments are refused.",
  },
  {
    suffix: "_damaged",
    name: "lossless_worker_damaged",
    help: "1 when the worker has just reported damaged data: its experiments take no points.",
  },
];

function counted(word: string, help: string): Named {
  return { name: `lossless_storage_${word}_total`, kind: "counter", help };
}

function threadsWith(
  statistics: Readonly<Record<string, number>>,
  suffix: string,
): (readonly [thread: string, value: number])[] {
  return Object.entries(statistics)
    .filter(([key]) => key.endsWith(suffix))
    .map(([key, value]) => [key.slice(0, -suffix.length), value]);
}

function workersWith(
  statistics: Readonly<Record<string, number>>,
  suffix: string,
): (readonly [worker: string, value: number])[] {
  return Object.entries(statistics).flatMap(([key, value]) => {
    const number = /^writer_worker_(\d+)(_\w+)$/.exec(key);
    return number?.[2] === suffix ? [[number[1], value] as const] : [];
  });
}

function unnamedFigures(statistics: Readonly<Record<string, number>>): string[] {
  const shown = new Set([
    ...Object.keys(named),
    ...Object.keys(statistics).filter((key) => key.startsWith("writer_worker_")),
    ...memories.flatMap(({ suffix }) =>
      threadsWith(statistics, suffix).map(([thread]) => `${thread}${suffix}`),
    ),
    "writer_groups",
    "writer_commit_seconds",
  ]);
  return Object.keys(statistics).filter((name) => !shown.has(name) && !commitsWithin.test(name));
}

function commits(statistics: Readonly<Record<string, number>>): string {
  const name = "lossless_storage_commit_seconds";
  const bucket = (bound: string, count: number): string =>
    `${name}_bucket${labelText(["le"], [bound])} ${count}`;
  const count = statistics.writer_groups ?? 0;
  return family(name, "histogram", "Time of a group's commit, its fsync included.", [
    ...Object.entries(statistics).flatMap(([key, within]) => {
      const bound = commitsWithin.exec(key)?.[1];
      return bound === undefined ? [] : [bucket(bound, within)];
    }),
    bucket("+Inf", count),
    `${name}_sum ${statistics.writer_commit_seconds ?? 0}`,
    `${name}_count ${count}`,
  ]);
}

function family(name: string, kind: string, help: string, samples: string[]): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${samples.map((one) => `${one}\n`).join("")}`;
}
