/** The parts of `--views`, in the order of measurement. */
export const parts = [
  "overviews",
  "table",
  "groups",
  "sweep",
  "pages",
  "compare",
  "media",
  "ingest",
  "waits",
] as const;

export interface ViewsOptions {
  parts: ReadonlySet<(typeof parts)[number]>;
  /** Points of the long series, and of the hundred series together. */
  points: number;
  /** Experiments of the table. */
  experiments: number;
  postgres: boolean;
  /** Events in a round of W1 beside viewers. */
  events: number;
  rounds: number;
  /** A directory in which the runs of groups stay for the next bench; undefined: none stay. */
  keep: string | undefined;
  progress: (line: string) => void;
}
