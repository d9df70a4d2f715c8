import {
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  statfs,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { LosslessError } from "../errors.ts";
import { syncDirectory } from "./durable-file.ts";
import { homeDirectories } from "./home.ts";
import { freshPath, isAllOwn, isOwnDirectory, ownPath, ownText } from "./own-directory.ts";
import { isInUse, ownProcess, type WritingProcess } from "./writing-process.ts";

/** Progress of a pull, kept for the next process. */
export interface PullState {
  format: 1;
  artifact: string;
  version: string;
  committed: string;
  rangeBytes: number;
  /** One text a file, with a digit for each of its ranges; 1 means fetched. */
  ranges: string[];
  /** Whether each file is whole, synced and checked. */
  whole: boolean[];
  process: WritingProcess;
}

const saveEveryMs = 1_000;
const caseProbe = "case-probe";
const suffix = ".lossless-pull";

/**
 * The directory in which a version is gathered: hidden beside the target, and renamed to it once
 * everything is there. An interrupted pull of this user is resumed; content of other users is
 * ignored.
 */
export class PullDirectory {
  readonly target: string;
  #hidden: string;
  /** Identity of the hidden directory when the pull began. */
  #identity = "";
  readonly #made = new Set<string>();
  #state: PullState | undefined;
  #savedAtMs = -Infinity;

  constructor(directory: string) {
    this.target = resolve(directory);
    const name = basename(this.target);
    if (name === "") throw new LosslessError(`cannot pull into ${this.target}`);
    this.#hidden = ownPath(dirname(this.target), `.${name}${suffix}`);
  }

  /** Puts the old target back after a pull was killed while replacing it. */
  async putBack(): Promise<void> {
    const before = this.#load();
    if (before === undefined || isInUse(before) || !existsSync(this.#aside)) return;
    // Without content the second rename had happened: the target is the new version.
    if (!existsSync(this.#content)) return rm(this.#aside, { recursive: true });
    if (existsSync(this.target)) {
      const what = `${this.#aside} is what ${this.target} was before a pull that was interrupted`;
      throw new LosslessError(`${what}; move it away, or remove it`);
    }
    await rename(this.#aside, this.target);
    await syncDirectory(dirname(this.target));
  }

  /** Refuses an existing target: an empty directory counts as none, others need `replaces`. */
  async checkTarget(replaces: boolean): Promise<void> {
    const stats = await lstat(this.target).catch(() => undefined);
    if (stats === undefined) return;
    if (!stats.isDirectory())
      throw new LosslessError(`${this.target} exists and is not a directory`);
    if ((await readdir(this.target)).length === 0) return;
    if (!replaces) {
      const choice = "replace it as a whole (--force), or name another directory";
      throw new LosslessError(`${this.target} exists and is not empty: ${choice}`);
    }
    for (const directory of [process.cwd(), ...homeDirectories(process.env)]) {
      if (`${directory}${sep}`.startsWith(`${this.target}${sep}`)) {
        throw new LosslessError(
          `${this.target} cannot be replaced as a whole: it contains ${directory}`,
        );
      }
    }
  }

  /**
   * Begins a pull: resumes what an earlier pull of the same version left, and removes that of
   * another.
   */
  async begin(fresh: Omit<PullState, "format" | "process">): Promise<PullState> {
    const before = this.#load();
    if (before !== undefined && isInUse(before)) {
      throw new LosslessError(
        `process ${before.process.id} is already pulling into ${this.target}`,
      );
    }
    if (before === undefined && (await this.#isForeign())) {
      throw new LosslessError(`${this.#hidden} was not made by a pull; remove it`);
    }
    const isSame =
      before?.artifact === fresh.artifact &&
      before.version === fresh.version &&
      before.committed === fresh.committed &&
      before.rangeBytes === fresh.rangeBytes &&
      before.ranges.length === fresh.ranges.length &&
      before.ranges.every((range, file) => range.length === fresh.ranges[file]?.length) &&
      (await isAllOwn(this.#content));
    if (before !== undefined && !isSame) await this.discard();
    this.#state = { ...(isSame ? before : { format: 1, ...fresh }), process: ownProcess() };
    this.#make();
    this.flush();
    await mkdir(this.#content, { recursive: true, mode: 0o755 });
    return this.#state;
  }

  /** Free bytes of the disk; undefined where the system does not report them. */
  async freeBytes(): Promise<number | undefined> {
    const stats = await statfs(this.#hidden).catch(() => undefined);
    return stats === undefined ? undefined : stats.bavail * stats.bsize;
  }

  /** Whether `a` and `A` name the same file here. */
  async ignoresCase(): Promise<boolean> {
    const probe = join(this.#hidden, caseProbe);
    await rm(probe, { force: true });
    await writeFile(probe, "", { flag: "wx" });
    const isSame = existsSync(join(this.#hidden, caseProbe.toUpperCase()));
    await rm(probe);
    return isSame;
  }

  async openFile(name: string): Promise<FileHandle> {
    const path = join(this.#content, name);
    await this.#makeDirectory(dirname(path));
    const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
    return open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o644);
  }

  touch(): void {
    if (performance.now() - this.#savedAtMs >= saveEveryMs) this.flush();
  }

  /** Writes the state. Synchronous, for signal handlers. */
  flush(): void {
    if (this.#state === undefined) return;
    this.#savedAtMs = performance.now();
    this.#write(this.#state);
  }

  /** Ends an interrupted pull; its content stays for the next one. */
  release(): void {
    if (this.#state !== undefined) this.#state.process.id = 0;
    try {
      this.flush();
    } catch {
      // A full disk, say: the last written state stays, and the caller throws the error that ended
      // the pull.
    }
    this.#state = undefined;
  }

  /** Renames the complete content to the target, after all its names are on stable storage. */
  async finish(replaces: boolean): Promise<void> {
    await syncDirectories(this.#content);
    this.#requireSame();
    await this.checkTarget(replaces);
    const isReplaced = existsSync(this.target) && (await readdir(this.target)).length > 0;
    // From here on the state on disk, which a signal handler may write too, claims no content: the
    // content is about to move.
    const full = this.#state;
    if (full === undefined) throw new Error("BUG: finish got no state");
    this.#state = emptied(full);
    try {
      this.flush();
      if (isReplaced) await rename(this.target, this.#aside);
      try {
        await rename(this.#content, this.target);
      } catch (error) {
        if (isReplaced) await rename(this.#aside, this.target);
        throw error;
      }
    } catch (error) {
      this.#state = full;
      throw error;
    }
    this.#state = undefined;
    await syncDirectory(dirname(this.target));
    await this.discard();
  }

  /**
   * Removes the hidden directory, its state last: while anything is left, the state marks it as a
   * pull's. The content is renamed before it is removed, so no pull resumes a part of it.
   */
  async discard(): Promise<void> {
    this.#made.clear();
    const discarded = join(this.#hidden, "discarded");
    await rm(discarded, { recursive: true, force: true });
    if (existsSync(this.#content)) await rename(this.#content, discarded);
    await rm(discarded, { recursive: true, force: true });
    await rm(this.#aside, { recursive: true, force: true });
    await rm(this.#hidden, { recursive: true, force: true });
  }

  /**
   * Makes the hidden directory, unreadable for others, who could put a link there before it is the
   * target.
   */
  #make(): void {
    const parent = dirname(this.target);
    // A file in its place makes the next call fail.
    if (!existsSync(parent)) mkdirSync(parent, { recursive: true, mode: 0o700 });
    const stats = lstatSync(this.#hidden, { throwIfNoEntry: false });
    if (stats === undefined || !isOwnDirectory(stats)) {
      // Another user may have just made a directory of that name.
      if (stats !== undefined)
        this.#hidden = freshPath(parent, `.${basename(this.target)}${suffix}`);
      mkdirSync(this.#hidden, { mode: 0o700 });
    }
    this.#identity = identityOf(this.#hidden);
  }

  /**
   * Checks the identity: anyone who may write to the parent directory can replace the hidden one.
   */
  #requireSame(): void {
    if (identityOf(this.#hidden) === this.#identity) return;
    throw new LosslessError(`${this.#hidden} was moved away while it was filled`);
  }

  /**
   * Whether the hidden directory has entries of its own besides those that a killed pull leaves
   * before its state is written, or after its removal.
   */
  async #isForeign(): Promise<boolean> {
    if (!existsSync(this.#hidden)) return false;
    const names = await readdir(this.#hidden);
    return names.some((name) => name !== basename(`${this.#statePath}.new`) && name !== caseProbe);
  }

  /** Makes a directory at most once: files are opened for each of their ranges. */
  async #makeDirectory(path: string): Promise<void> {
    if (this.#made.has(path)) return;
    await mkdir(path, { recursive: true, mode: 0o755 });
    this.#made.add(path);
  }

  #write(state: PullState): void {
    rmSync(`${this.#statePath}.new`, { force: true });
    writeFileSync(`${this.#statePath}.new`, JSON.stringify(state), { mode: 0o600, flag: "wx" });
    renameSync(`${this.#statePath}.new`, this.#statePath);
  }

  get #aside(): string {
    return join(this.#hidden, "replaced");
  }

  get #content(): string {
    return join(this.#hidden, "content");
  }

  get #statePath(): string {
    return join(this.#hidden, "state.json");
  }

  #load(): PullState | undefined {
    try {
      const state = JSON.parse(ownText(this.#statePath) ?? "") as PullState | null;
      return state?.format === 1 ? state : undefined;
    } catch {
      return undefined;
    }
  }
}

function identityOf(path: string): string {
  const { dev, ino } = lstatSync(path, { bigint: true });
  return `${dev} ${ino}`;
}

function emptied(state: PullState): PullState {
  const ranges = state.ranges.map(({ length }) => "0".repeat(length));
  return { ...state, ranges, whole: state.whole.map(() => false) };
}

async function syncDirectories(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await syncDirectories(join(path, entry.name));
  }
  await syncDirectory(path);
}
