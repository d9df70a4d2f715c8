import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { LosslessError } from "../errors.ts";
import type { PreparedFile } from "./content.ts";
import { homeDirectory } from "./home.ts";
import type { SentPart } from "./part.ts";
import { ownProcess, type WritingProcess } from "./writing-process.ts";

/** What is needed to go on with an upload in another process. */
export interface UploadState {
  format: 1;
  artifact: string;
  version: string;
  epoch: number;
  upload: string;
  /** Location ids that failed before. */
  exclude: string[];
  meta: Record<string, unknown>;
  /** In the order of the upload; without those that exist in memory only. */
  files: { name: string; size: number; modified: string; sha256: string; crc32: number }[];
  /** Says for every file of the upload which parts were sent, by their number; null: not yet. */
  sent: (SentPart | null)[][];
  /** Who writes here now. */
  process: WritingProcess;
}

const saveEveryMs = 1_000;

/**
 * `$XDG_STATE_HOME/lossless/uploads`, by default `~/.local/state/lossless/uploads`. Undefined: this
 * user has no home.
 */
export function uploadDirectory(environment: NodeJS.ProcessEnv): string | undefined {
  const given = environment["XDG_STATE_HOME"];
  // The rule of that variable: a relative path counts as not set.
  if (given?.startsWith("/") === true) return join(given, "lossless", "uploads");
  const home = homeDirectory(environment);
  return home === undefined ? undefined : join(home, ".local", "state", "lossless", "uploads");
}

/**
 * A file that remembers of one upload which parts have arrived. It holds no credential and no
 * address. Replaced as a whole, at most once a second; what it does not know of is sent again.
 */
export class UploadRecord {
  readonly #path: string | undefined;
  readonly #onNotice: (sentence: string) => void;
  #isBroken = false;
  #state: UploadState | undefined;
  #savedAtMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  /** One upload of a directory to an artifact at a time: only `identity` tells them apart. */
  constructor(
    directory: string | undefined,
    identity: readonly string[],
    onNotice: (sentence: string) => void,
  ) {
    this.#onNotice = onNotice;
    const digest = createHash("sha256").update(JSON.stringify(identity)).digest("hex");
    this.#path = directory && join(directory, `${digest.slice(0, 32)}.json`);
  }

  /** What an earlier process has left. What is not readable is as good as not there. */
  load(): UploadState | undefined {
    if (this.#path === undefined) return undefined;
    try {
      const state = JSON.parse(readFileSync(this.#path, "utf8")) as UploadState | null;
      if (state?.format === 1) return state;
    } catch {
      // Not there, or cut off by a full disk.
    }
    return undefined;
  }

  /** From now on this is remembered; the caller changes `state` and calls `touch`. */
  begin(state: Omit<UploadState, "format" | "process">): void {
    this.#state = { format: 1, ...state, process: ownProcess() };
    this.flush();
  }

  touch(): void {
    const waitMs = this.#savedAtMs + saveEveryMs - performance.now();
    if (waitMs <= 0) return this.flush();
    this.#timer ??= setTimeout(() => this.flush(), waitMs).unref();
  }

  /** Synchronous, for the handler of a signal. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#state === undefined || this.#isBroken) return;
    this.#savedAtMs = performance.now();
    try {
      if (this.#path === undefined)
        throw new LosslessError("this user has no home directory; XDG_STATE_HOME names one");
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      const temporary = `${this.#path}.${process.pid}`;
      writeFileSync(temporary, JSON.stringify(this.#state), { mode: 0o600 });
      renameSync(temporary, this.#path);
    } catch (error) {
      // A push that cannot be resumed is still a push.
      this.#isBroken = true;
      const reason = (error as Error).message;
      this.#onNotice(`this push cannot be continued when it is interrupted: ${reason}`);
    }
  }

  /** Nobody writes here any more, but what was written stays. */
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

/** Whether the files are still those of the upload, judged without reading them. */
export function filesOfState(files: readonly PreparedFile[]): UploadState["files"] {
  return files.flatMap(({ name, size, sha256, crc32, content }) => {
    if (content.kind === "bytes") return [];
    return [{ name, size, modified: content.state.modified, sha256, crc32 }];
  });
}
