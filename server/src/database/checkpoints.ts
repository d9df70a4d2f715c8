import { DatabaseError } from "./database.ts";
import type { SqliteConnection, SqliteStatement } from "./node-sqlite.ts";
import { sqliteFailure } from "./sqlite-failure.ts";

/** Frames (a page of 8 KiB each) that are added to the WAL before it is checkpointed: 32 MiB. */
const framesPerCheckpoint = 4_000;
/** A WAL of 128 MiB: readers that follow each other without a gap have kept it from restarting. */
const framesBeforeWaiting = 4 * framesPerCheckpoint;
/** Maximal wait of a commit for readers of the WAL, once in a number of frames. */
export const readersWaitMs = 100;
/** Size to which the WAL file is cut back after a burst. */
export const walBytesKept = 64 * 1024 * 1024;

/**
 * Checkpoints of the WAL, in place of SQLite's automatic ones: those ignore their errors, so a
 * database file whose fsync fails would go unnoticed while commits are acknowledged.
 *
 * Closing the connection after a failure does no harm: SQLite counts frames as checkpointed only
 * when the fsync succeeded, so that the next checkpoint writes all their pages again.
 */
export class Checkpoints {
  readonly #connection: SqliteConnection;
  readonly #busyTimeoutMs: number;
  readonly #length: SqliteStatement;
  /** Frames in the WAL after the last checkpoint since it was restarted. */
  #framesAtLast = 0;

  /** `busyTimeoutMs` is that of the connection. */
  constructor(connection: SqliteConnection, busyTimeoutMs: number) {
    connection.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${walBytesKept}`);
    this.#connection = connection;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#length = connection.prepare("PRAGMA wal_checkpoint(NOOP)");
  }

  /**
   * Runs a checkpoint when due. Called between two transactions; costs a microsecond unless the WAL
   * became long. DatabaseError `failed` or `corrupt`: the process has to stop. The commit before it
   * stays committed.
   */
  afterCommit(): void {
    try {
      const frames = Number(this.#length.get()!.log);
      if (frames < this.#framesAtLast) this.#framesAtLast = 0;
      if (frames - this.#framesAtLast < framesPerCheckpoint) return;
      this.#framesAtLast = frames;
      if (frames < framesBeforeWaiting) this.#connection.exec("PRAGMA wal_checkpoint(PASSIVE)");
      else this.#checkpointBetweenReaders();
    } catch (error) {
      const failure = sqliteFailure(error);
      // Full: the WAL has all data, and writes are refused once it cannot grow. Conflict: another
      // process is checkpointing. Both are tried again after as many frames.
      const isTriedAgain =
        failure instanceof DatabaseError &&
        (failure.kind === "full" || failure.kind === "conflict");
      if (!isTriedAgain) throw failure;
    }
  }

  /**
   * Runs a RESTART checkpoint, which waits until no reader uses the WAL, so that the next commit
   * restarts it.
   */
  #checkpointBetweenReaders(): void {
    this.#connection.exec(`PRAGMA busy_timeout = ${readersWaitMs}`);
    try {
      this.#connection.exec("PRAGMA wal_checkpoint(RESTART)");
    } finally {
      this.#connection.exec(`PRAGMA busy_timeout = ${this.#busyTimeoutMs}`);
    }
  }
}
