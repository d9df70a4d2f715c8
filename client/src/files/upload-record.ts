import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { LosslessError } from "../errors.ts";
import type { PreparedFile } from "./content.ts";
import { homeDirectory } from "./home.ts";
import type { SentPart } from "./part.ts";
import { ownProcess, type WritingProcess } from "./writing-process.ts";

/** State with which another process can resume an upload. */
export interface UploadState {
  format: 1;
  artifact: string;
  version: string;
  epoch: number;
  upload: string;
  /** Ids of locations that failed before. */
  exclude: string[];
  meta: Record<string, unknown>;
  /** In the order of the upload; without files that exist in memory only. */
  files: { name: string; size: number; modified: string; sha256: string; crc32: number }[];
  /** Parts sent of every file of the upload, by number; null: not yet. */
  sent: (SentPart | null)[][];
  /** The process that writes this record. */
  process: WritingProcess;
}

const saveEveryMs = 1_000;

/**
 * `$XDG_STATE_HOME/lossless/uploads`, by default `~/.local/state/lossless/uploads`; undefined: the
 * user has no home.
 */
export function uploadDirectory(environment: NodeJS.ProcessEnv): string | undefined {
  const given = environment["XDG_STATE_HOME"];
  // XDG's rule: a relative path counts as not set.
  if (given?.startsWith("/") === true) return join(given, "lossless", "uploads");
  const home = homeDirectory(environment);
  return home === undefined ? undefined : join(home, ".local", "state", "lossless", "uploads");
}

/**
 * A file that records which parts of an upload have arrived. It holds no credential and no address.
 * It is replaced as a whole, at most once a second; parts that it misses are sent again.
 */
export class UploadRecord {
  readonly #path: string | undefined;
  readonly #onNotice: (sentence: string) => void;
  #isBroken = false;
  #state: UploadState | undefined;
  #savedAtMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  /**
   * Records one upload at a time of a directory to an artifact: only `identity` tells them apart.
   */
  constructor(
    directory: string | undefined,
    identity: readonly string[],
    onNotice: (sentence: string) => void,
  ) {
    this.#onNotice = onNotice;
    const digest = createHash("sha256").update(JSON.stringify(identity)).digest("hex");
    this.#path = directory && join(directory, `${digest.slice(0, 32)}.json`);
  }

  /** Loads what an earlier process left; an unreadable record counts as none. */
  load(): UploadState | undefined {
    if (this.#path === undefined) return undefined;
    try {
      const state = JSON.parse(readFileSync(this.#path, "utf8")) as UploadState | null;
      if (state?.format === 1) return state;
    } catch {
      // Missing, or cut off by a full disk.
    }
    return undefined;
  }

  /** Starts recording; the caller changes `state` and calls `touch`. */
  begin(state: Omit<UploadState, "format" | "process">): void {
    this.#state = { format: 1, ...state, process: ownProcess() };
    this.flush();
  }

  touch(): void {
    const waitMs = this.#savedAtMs + saveEveryMs - performance.now();
    if (waitMs <= 0) return this.flush();
    this.#timer ??= setTimeout(() => this.flush(), waitMs).unref();
  }

  /** Writes the state. Synchronous, for signal handlers. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#state === undefined || this.#isBroken) return;
    this.#savedAtMs = performance.now();
    try {
      if (this.#path === undefined)
        throw new LosslessError("this user has no home directory; set XDG_STATE_HOME");
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      const temporary = `${this.#path}.${process.pid}`;
      writeFileSync(temporary, JSON.stringify(this.#state), { mode: 0o600 });
      renameSync(temporary, this.#path);
    } catch (error) {
      // A push goes on even if it cannot be resumed.
      this.#isBroken = true;
      const reason = (error as Error).message;
      this.#onNotice(`this push cannot be resumed after an interruption: ${reason}`);
    }
  }

  /** Ends writing; the record stays. */
  release(): void {
    if (this.#state !== undefined) this.#state.process = { host: hostname(), id: 0 };
    this.flush();
    this.#state = undefined;
  }

  remove(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#state = undefined;
    if (this.#path !== undefined) rmSync(this.#path, { force: true });
  }
}

/** Describes the files as the state has them, to compare without reading the files. */
export function filesOfState(files: readonly PreparedFile[]): UploadState["files"] {
  return files.flatMap(({ name, size, sha256, crc32, content }) => {
    if (content.kind === "bytes") return [];
    return [{ name, size, modified: content.state.modified, sha256, crc32 }];
  });
}
