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

/** What has arrived of a version, for the next process. */
export interface PullState {
  format: 1;
  artifact: string;
  version: string;
  committed: string;
  rangeBytes: number;
  /** One text a file, with a digit for each of its ranges; 1 says that it is there. */
  ranges: string[];
  /** Says for every file whether it is whole, synced and checked. */
  whole: boolean[];
  process: WritingProcess;
}

const saveEveryMs = 1_000;
const caseProbe = "case-probe";
const suffix = ".lossless-pull";

/**
 * Where a version is gathered: a hidden directory beside the target, which becomes the target in
 * one rename when everything is there. What an interrupted pull of this user leaves is found again;
 * what somebody else has put there is not looked at.
 */
export class PullDirectory {
  readonly target: string;
  #hidden: string;
  /** Which directory of that name it was when the pull began. */
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

  /** What a pull put aside when it was killed replacing the target becomes the target again. */
  async putBack(): Promise<void> {
    const before = this.#load();
    if (before === undefined || isInUse(before) || !existsSync(this.#aside)) return;
    // Without content the second rename had happened: the target is the new one.
    if (!existsSync(this.#content)) return rm(this.#aside, { recursive: true });
    if (existsSync(this.target)) {
      const what = `${this.#aside} is what ${this.target} was before a pull that was interrupted`;
      throw new LosslessError(`${what}; move it away, or remove it`);
    }
    await rename(this.#aside, this.target);
    await syncDirectory(dirname(this.target));
  }

  /** Refuses a target that exists: an empty directory counts as none, others need `replaces`. */
  async checkTarget(replaces: boolean): Promise<void> {
    const stats = await lstat(this.target).catch(() => undefined);
    if (stats === undefined) return;
    if (!stats.isDirectory()) throw new LosslessError(`${this.target} exists and is no directory`);
    if ((await readdir(this.target)).length === 0) return;
    if (!replaces) {
      const choice = "replace it as a whole (--force), or name another directory";
      throw new LosslessError(`${this.target} exists and is not empty: ${choice}`);
    }
    for (const directory of [process.cwd(), ...homeDirectories(process.env)]) {
      if (`${directory}${sep}`.startsWith(`${this.target}${sep}`)) {
        throw new LosslessError(`${this.target} is not replaced as a whole: it holds ${directory}`);
      }
    }
  }

  /** What an earlier pull of the same version has left here; of another one, it is removed. */
  async begin(fresh: Omit<PullState, "format" | "process">): Promise<PullState> {
    const before = this.#load();
    if (before !== undefined && isInUse(before)) {
      throw new LosslessError(`process ${before.process.id} pulls into ${this.target} already`);
    }
    if (before === undefined && (await this.#isForeign())) {
      throw new LosslessError(`${this.#hidden} is not of a pull; remove it`);
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

  /** Free bytes of its disk; undefined where the system does not say. */
  async freeBytes(): Promise<number | undefined> {
    const stats = await statfs(this.#hidden).catch(() => undefined);
    return stats === undefined ? undefined : stats.bavail * stats.bsize;
  }

  /** Whether `a` and `A` are one file here. */
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

  /** Synchronous, for the handler of a signal. */
  flush(): void {
    if (this.#state === undefined) return;
    this.#savedAtMs = performance.now();
    this.#write(this.#state);
  }

  /** Interrupted: what is there stays for the next pull. */
  release(): void {
    if (this.#state !== undefined) this.#state.process.id = 0;
    try {
      this.flush();
    } catch {
      // A full disk, say: what was written last stays, and the error that ends the pull is told.
    }
    this.#state = undefined;
  }

  /** Everything is there: the directory gets its name, with all names in it on stable storage. */
  async finish(replaces: boolean): Promise<void> {
    await syncDirectories(this.#content);
    this.#requireSame();
    await this.checkTarget(replaces);
    const isReplaced = existsSync(this.target) && (await readdir(this.target)).length > 0;
    // Whoever is killed from here on leaves a state that promises nothing, as does the handler of a
    // signal: the content is soon somewhere else.
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
   * The state last: as long as there is anything, it tells that a pull has left it. The content is
   * renamed before it is removed: no pull goes on with a part of it.
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

  /** Nobody else looks into it, or puts a link there, before it is the target. */
  #make(): void {
    const parent = dirname(this.target);
    // A file in its place is no directory, which the next call says.
    if (!existsSync(parent)) mkdirSync(parent, { recursive: true, mode: 0o700 });
    const stats = lstatSync(this.#hidden, { throwIfNoEntry: false });
    if (stats === undefined || !isOwnDirectory(stats)) {
      // Somebody may have made one of that name this moment.
      if (stats !== undefined)
        this.#hidden = freshPath(parent, `.${basename(this.target)}${suffix}`);
      mkdirSync(this.#hidden, { mode: 0o700 });
    }
    this.#identity = identityOf(this.#hidden);
  }

  /** Who may write to the parent directory may put another one in its place. */
  #requireSame(): void {
    if (identityOf(this.#hidden) === this.#identity) return;
    throw new LosslessError(`${this.#hidden} was moved away by somebody else while it was filled`);
  }

  /** Nothing that a pull leaves when killed before its state is written, or after its removal. */
  async #isForeign(): Promise<boolean> {
    if (!existsSync(this.#hidden)) return false;
    const names = await readdir(this.#hidden);
    return names.some((name) => name !== basename(`${this.#statePath}.new`) && name !== caseProbe);
  }

  /** Once: files are opened for each of their ranges. */
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
