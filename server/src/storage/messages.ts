import type { DatabaseFailure } from "../database/database.ts";
import type { ReplyBytes } from "../ground/reply-text.ts";
import type { SegmentStore } from "../segment-store.ts";
import type { Outcome, SeriesQuery, Write } from "./storage.ts";

/** What the storage threads are started with. Plain data: it crosses a thread boundary. */
export interface ThreadSettings {
  /** Directory of the embedded database, or undefined with `databaseUrl`. */
  dataDirectory: string | undefined;
  databaseUrl: string | undefined;
  /** Where nodes on PostgreSQL keep copies of objects. */
  cacheDirectory: string;
  /** An S3 bucket for sealed objects; only with `databaseUrl`. */
  segments?: SegmentStore | undefined;
  seriesPerExperiment: number;
  /** Writes are refused (storage_full) while less than this is free on the data directory's disk. */
  diskReserveBytes: number;
  /** Points of one experiment that are left in the log before it is sealed. */
  sealPoints: number;
  /** An experiment without new points for this long is sealed however few it has. */
  sealIdleMs: number;
}

/** An error that crosses a thread boundary; `revive` makes the right class of it again. */
export interface CarriedError {
  name: string;
  message: string;
  stack: string | undefined;
  code?: string;
  kind?: DatabaseFailure;
  details?: Record<string, unknown>;
}

export interface Installation {
  hashSeed: Uint32Array;
  /** Added to every revision counter; a restore raises it, so that caches never see an old number again (M63). */
  revisionJump: number;
}

export type ToWriter =
  | { type: "writes"; requests: { id: number; writes: Write[] }[] }
  | { type: "statistics"; id: number }
  | { type: "close" };

export type FromWriter =
  | { type: "ready"; installation: Installation }
  | {
      type: "done";
      answers: ({ id: number; outcomes: Outcome[] } | { id: number; error: CarriedError })[];
    }
  | { type: "unsealed"; experimentIds: string[] }
  | { type: "warning"; message: string; error: CarriedError }
  | { type: "statistics"; id: number; figures: Record<string, number> }
  | { type: "fatal"; error: CarriedError }
  | { type: "closed" };

export type ReadRequest =
  | { type: "read"; id: number; name: string; input: unknown }
  | { type: "reply"; id: number; name: string; input: unknown; bytes: ReplyBytes };

export type ReadAnswer =
  | { type: "value"; id: number; value: unknown }
  | { type: "reply"; id: number; pieces: Uint8Array[] }
  | { type: "error"; id: number; error: CarriedError };

export type ToLookups = ReadRequest | { type: "statistics"; id: number } | { type: "close" };

export type FromLookups =
  | { type: "ready" }
  | ReadAnswer
  | { type: "statistics"; id: number; figures: Record<string, number> }
  | { type: "fatal"; error: CarriedError }
  | { type: "closed" };

export type ToReader =
  | ReadRequest
  | { type: "stream"; id: number; query: SeriesQuery }
  | { type: "pull"; id: number }
  | { type: "cancel"; id: number }
  | { type: "statistics"; id: number }
  | { type: "close" };

export type FromReader =
  | { type: "ready" }
  | ReadAnswer
  | { type: "opened"; id: number }
  | { type: "chunk"; id: number; bytes: Uint8Array; last: boolean }
  | { type: "streamFailed"; error: CarriedError }
  | { type: "statistics"; id: number; figures: Record<string, number> }
  | { type: "fatal"; error: CarriedError }
  | { type: "closed" };

export type ToBackground =
  | { type: "unsealed"; experimentIds: string[] }
  | { type: "written"; id: number; outcome: Outcome | { kind: "failed"; error: CarriedError } }
  | { type: "statistics"; id: number }
  | { type: "close" };

export type FromBackground =
  | { type: "ready" }
  | { type: "write"; id: number; write: Write }
  | { type: "statistics"; id: number; figures: Record<string, number> }
  | { type: "warning"; message: string; error: CarriedError }
  | { type: "fatal"; error: CarriedError }
  | { type: "closed" };
