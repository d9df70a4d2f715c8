export interface ViewsOptions {
  /** Points of the long series, and of the hundred series together. */
  points: number;
  /** Experiments of the table. */
  experiments: number;
  postgres: boolean;
  /** Events in a round of W1 beside viewers. */
  events: number;
  rounds: number;
  progress: (line: string) => void;
}
