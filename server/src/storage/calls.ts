import type { MessagePort } from "node:worker_threads";
import type { Round } from "./background/rounds.ts";
import type { ReplyBytes } from "../ground/reply-text.ts";
import type { SegmentStore } from "../settings/segment-store.ts";
import type { CarriedError } from "./carried-error.ts";
import type {
  ExportRead,
  Outcome,
  PointsCsvRead,
  SeriesQuery,
  TableCsvRead,
  Write,
} from "./storage.ts";

/**
 * Settings with which the storage threads are started. Plain data: it crosses a thread boundary.
 */
export interface ThreadSettings {
  /** Directory of the embedded database, or undefined with `databaseUrl`. */
  dataDirectory: string | undefined;
  databaseUrl: string | undefined;
  databasePasswordFile?: string | undefined;
  /** Addresses of the workers; in the order of their numbers once they are claimed. */
  workerUrls?: readonly string[] | undefined;
  /** Where nodes on PostgreSQL keep copies of objects. */
  cacheDirectory: string;
  /** An S3 bucket for sealed objects; only with `databaseUrl`. */
  segments?: SegmentStore | undefined;
  seriesPerExperiment: number;
  /** Bytes of request bodies at once; a worker's lane holds a quarter of as many. */
  maxQueueBytes?: number;
  /** Writes are refused (storage_full) while the data directory's disk has less than this free. */
  diskReserveBytes: number;
  /** Points of one experiment that are left in the log before it is sealed. */
  sealPoints: number;
  /** An experiment without new points for this long is sealed however few it has. */
  sealIdleMs: number;
  /** Days of keeping deleted entries, where an organization has set none. */
  trashDays: number;
  /** Whether rounds of background work are reported. */
  traces?: boolean;
}

export interface Installation {
  /** Addresses of the workers in the order of their numbers. */
  workerUrls: readonly string[];
  hashSeed: Uint32Array;
  /**
   * Added to every revision counter; a restore raises it, so that caches never see an old number
   * again (M63).
   */
  revisionJump: number;
}

/**
 * Calls from the main thread to every storage thread, which touches nothing before it is opened.
 */
export interface ThreadLife<Given, Opened> {
  open(given: Given): Opened;
  statistics(input: undefined): Record<string, number>;
  /** Ends its work; the thread may be ended then. */
  close(input: undefined): void;
}

/** Calls from every storage thread to the main thread. */
export interface MainCalls {
  warning(told: { message: string; error: CarriedError }): void;
  /** Storage cannot go on. */
  fatal(error: CarriedError): void;
  /** Reports a round of background work, with tracing. */
  worked(round: Round): void;
}

export interface Writing {
  write(writes: Write[]): Outcome[];
}

/** Calls from the background thread to the writer. */
export interface BackgroundWriting extends Writing {
  /** Experiments on workers that this node has changed since the last call. */
  changed(input: undefined): string[];
  /** Has workers do what they owe. */
  settle(experimentIds: string[]): void;
}

/** `background` is the port of the background thread to the writer. */
export interface WriterCalls
  extends
    ThreadLife<{ settings: ThreadSettings; background: MessagePort }, Installation>,
    Writing {}

export interface ReadCall {
  /** A read operation's. */
  name: string;
  input: unknown;
  /** How long each of its statements may take, where others wait for the thread; else any time. */
  pace?: Patience;
}

/** Quick: in a thread that others share. Patient: where nobody waits but who is patient, too. */
export type Patience = "quick" | "patient";

/** `readers`: how many there are, which share the memory for caches. */
export interface ReaderCalls extends ThreadLife<
  { settings: ThreadSettings; readers: number; isFirst: boolean },
  void
> {
  read(asked: ReadCall): unknown;
  /** The UTF-8 bytes of the result's JSON, in pieces. */
  reply(asked: ReadCall & { bytes: ReplyBytes }): Uint8Array[];
  /** Undefined when there are more points than `pointsMax`. */
  series(asked: { query: SeriesQuery; pointsMax: number }): AsyncGenerator<Uint8Array> | undefined;
  pointsCsv(query: PointsCsvRead): AsyncGenerator<Uint8Array>;
  tableCsv(query: TableCsvRead): AsyncGenerator<Uint8Array>;
  exportFile(query: ExportRead): AsyncGenerator<Uint8Array>;
}

/** `writer` is the port to the writer thread. */
export type BackgroundCalls = ThreadLife<{ settings: ThreadSettings; writer: MessagePort }, void>;

/** Notices from the writer to the background thread. */
export interface WorkNotices {
  unsealed(experimentIds: string[]): void;
  /** Entries of the trash were purged by a member. */
  purgeAsked(input: undefined): void;
}
