import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import type { SignedVersion } from "../artifacts.ts";
import type { LosslessClient } from "../client.ts";
import { IntegrityError, LosslessError, ProtocolError, StoreError } from "../errors.ts";
import { defaultRetryPolicy, type RetryPolicy } from "../retry.ts";
import type { Place, VersionRecord } from "../wire.ts";
import { checksumsIn, parseChecksumList } from "./checksums.ts";
import { inParallel } from "./in-parallel.ts";
import { placeOf } from "./place.ts";
import { PullDirectory, type PullState } from "./pull-directory.ts";
import { readRange } from "./range.ts";
import { RenewedAddresses } from "./renewed-addresses.ts";
import { StoreConnections } from "./store-connections.ts";
import { storeTries } from "./store-tries.ts";
import { checkTargetNames, clashingNames } from "./target-names.ts";
import type { TransferProgress } from "./transfer-progress.ts";

export interface PullOptions {
  artifact: string;
  /** Name of the version, `latest` (default), or an alias: `@best`. */
  version?: string;
  /** The directory to create: it appears in one step, when all files are there. */
  directory: string;
  /** Replaces an existing directory as a whole. */
  replace?: boolean;
  /** false: checksums are not verified. */
  verify?: boolean;
  place?: Partial<Place>;
  /** Ranges fetched in parallel; 8. */
  parallel?: number;
  /** Bytes of one range; 16 MiB. */
  rangeBytes?: number;
  /** Pauses between the attempts of a range, and their observer. */
  retry?: Partial<RetryPolicy>;
  /**
   * Milliseconds without progress after which a request to a store fails and is retried; 60,000.
   */
  idleTimeoutMs?: number;
  onProgress?: (progress: TransferProgress) => void;
  onNotice?: (sentence: string) => void;
  /** Gets a function that saves the progress at once, for signal handlers. */
  onRecord?: (flush: () => void) => void;
  signal?: AbortSignal;
}

export interface PulledVersion {
  artifact: string;
  version: string;
  committed: string;
  directory: string;
  files: number;
  bytes: number;
  /** Every file was verified; false: a checksum was missing, or verification was off. */
  verified: boolean;
  /** An earlier pull was resumed. */
  resumed: boolean;
}

const rangeBytesDefault = 16 * 1_048_576;
const listBytesMax = 16 * 1_048_576;
/** Milliseconds without data from a range after which the pull fails. */
const patienceMs = 300_000;

/**
 * Fetches a version into a directory: in ranges, several at once, each until it has arrived; checks
 * sizes and SHA-256; then the directory appears. Repeating an interrupted pull resumes it.
 */
export async function pull(client: LosslessClient, options: PullOptions): Promise<PulledVersion> {
  const { artifact, version = "latest", replace = false, signal } = options;
  const directory = new PullDirectory(options.directory);
  await directory.putBack();
  await directory.checkTarget(replace);
  const place = placeOf(options.place);
  const sign = (name: string) => client.artifacts.signVersion(artifact, name, { place, signal });
  const signed = await sign(version);
  const { record } = signed;
  checkTargetNames(record.files.map(({ name }) => name));
  using connections = new StoreConnections(options.parallel ?? 8, options.idleTimeoutMs ?? 60_000);
  // By its name from now on: `latest` may change before the addresses are renewed.
  const addresses = new RenewedAddresses(signed, () => sign(record.version));
  const pulling = new Pulling({ record, addresses, connections, directory, options });
  return await pulling.run();
}

interface PullingParts {
  record: VersionRecord;
  addresses: RenewedAddresses<SignedVersion>;
  connections: StoreConnections;
  directory: PullDirectory;
  options: PullOptions;
}

interface Range {
  file: number;
  number: number;
  start: number;
  length: number;
}

class Pulling {
  readonly #record: VersionRecord;
  readonly #addresses: RenewedAddresses<SignedVersion>;
  readonly #connections: StoreConnections;
  readonly #directory: PullDirectory;
  readonly #options: PullOptions;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  readonly #rangeBytes: number;
  /** Indices of the files to write, without a list of checksums. */
  #wanted: number[] = [];
  #checksums: ReadonlyMap<string, string> = new Map();
  #bytes = 0;
  #bytesTotal = 0;
  #state!: PullState;

  constructor({ record, addresses, connections, directory, options }: PullingParts) {
    this.#record = record;
    this.#addresses = addresses;
    this.#connections = connections;
    this.#directory = directory;
    this.#options = options;
    const { signal, rangeBytes = rangeBytesDefault } = options;
    this.#rangeBytes = rangeBytes;
    this.#signal = AbortSignal.any([this.#stop.signal, ...(signal === undefined ? [] : [signal])]);
  }

  async run(): Promise<PulledVersion> {
    const { artifact, version, committed, files } = this.#record;
    await this.#readChecksums();
    this.#bytesTotal = this.#sum(this.#wanted.map((file) => files[file].size));
    const rangeBytes = this.#rangeBytes;
    this.#state = await this.#directory.begin({
      artifact,
      version,
      committed,
      rangeBytes,
      ranges: files.map(({ size }) => "0".repeat(Math.ceil(size / rangeBytes))),
      whole: files.map(() => false),
    });
    // Files that an earlier process found whole are verified again: only their bytes count.
    this.#state.whole.fill(false);
    this.#options.onRecord?.(() => this.#directory.flush());
    const resumed = this.#state.ranges.some((range) => range.includes("1"));
    try {
      await this.#checkRoom();
      await this.#fetch();
      await this.#directory.finish(this.#options.replace ?? false);
    } catch (error) {
      this.#directory.release();
      throw error;
    }
    return {
      artifact,
      version,
      committed,
      directory: this.#directory.target,
      files: this.#wanted.length,
      bytes: this.#bytesTotal,
      verified: this.#wanted.every((file) => this.#checksums.has(files[file].name)),
      resumed,
    };
  }

  async #readChecksums(): Promise<void> {
    const { files } = this.#record;
    const found = checksumsIn(this.#record);
    const list = found.kind === "list" ? files.findIndex(({ name }) => name === found.name) : -1;
    this.#wanted = [...files.keys()].filter((file) => file !== list);
    if (this.#options.verify === false) return;
    if (found.kind === "all") this.#checksums = found.sha256;
    if (found.kind === "list" && list >= 0) {
      const text = await this.#text(list);
      const sha256 = createHash("sha256").update(text).digest("hex");
      if (sha256 !== found.sha256) throw mismatch(found.name, found.sha256, sha256);
      this.#checksums = parseChecksumList(text.toString("utf8"));
    }
    const missing = this.#wanted.filter((file) => !this.#checksums.has(files[file].name)).length;
    if (missing === 0) return;
    const which = missing === this.#wanted.length ? "this version" : `${missing} of its files`;
    this.#options.onNotice?.(`there are no checksums of ${which}: there only sizes are checked`);
  }

  async #checkRoom(): Promise<void> {
    const names = this.#wanted.map((file) => this.#record.files[file].name);
    const clash = clashingNames(names);
    if (clash !== undefined && (await this.#directory.ignoresCase())) {
      throw new LosslessError(`${clash[0]} and ${clash[1]} are the same name on this file system`);
    }
    const needed = this.#sum(this.#missing().map(({ length }) => length));
    const free = await this.#directory.freeBytes();
    if (free === undefined || free >= needed) return;
    throw new LosslessError(
      `${needed} bytes are needed and ${free} are free in ${this.#directory.target}`,
    );
  }

  #missing(): Range[] {
    const missing: Range[] = [];
    for (const file of this.#wanted) {
      if (this.#state.whole[file] !== true) missing.push(...this.#rangesOf(file));
    }
    return missing.filter(({ file, number }) => this.#state.ranges[file]?.[number] !== "1");
  }

  #rangesOf(file: number): Range[] {
    const { size } = this.#record.files[file];
    const rangeBytes = this.#rangeBytes;
    return Array.from({ length: this.#state.ranges[file]?.length ?? 0 }, (_, number) => {
      const start = number * rangeBytes;
      return { file, number, start, length: Math.min(rangeBytes, size - start) };
    });
  }

  async #fetch(): Promise<void> {
    const missing = this.#missing();
    this.#count(this.#bytesTotal - this.#sum(missing.map(({ length }) => length)));
    const unfinished = new Map<number, Range[]>();
    for (const file of this.#wanted) if (this.#state.whole[file] !== true) unfinished.set(file, []);
    for (const range of missing) unfinished.get(range.file)!.push(range);
    // Files without missing ranges, empty ones too, still have to be finished.
    const ready = [...unfinished].filter(([, ranges]) => ranges.length === 0);
    const left = new Map([...unfinished].map(([file, ranges]) => [file, ranges.length]));
    const work: (Range | number)[] = [...ready.map(([file]) => file), ...missing];
    await inParallel(this.#options.parallel ?? 8, work, async (item) => {
      try {
        if (typeof item === "number") return await this.#finishFile(item);
        await this.#fetchRange(item);
        const more = left.get(item.file)! - 1;
        left.set(item.file, more);
        if (more === 0) await this.#finishFile(item.file);
      } catch (error) {
        // The cause, not the aborts that it set off.
        this.#stop.abort(this.#signal.aborted ? this.#signal.reason : error);
        throw this.#stop.signal.reason;
      }
    });
  }

  async #fetchRange(range: Range): Promise<void> {
    const { file, number, start, length } = range;
    const { name } = this.#record.files[file];
    await using handle = await this.#directory.openFile(name);
    await this.#received(file, start, length, async (chunk, position) => {
      for (let written = 0; written < chunk.length;) {
        const rest = chunk.length - written;
        written += (await handle.write(chunk, written, rest, position + written)).bytesWritten;
      }
    });
    const ranges = this.#state.ranges[file] ?? "";
    this.#state.ranges[file] = `${ranges.slice(0, number)}1${ranges.slice(number + 1)}`;
    this.#directory.touch();
  }

  /**
   * Passes the bytes of a file to `take` in order and once, however often the connection breaks.
   */
  async #received(
    file: number,
    start: number,
    length: number,
    take: (chunk: Uint8Array, position: number) => Promise<void>,
  ): Promise<void> {
    const { size } = this.#record.files[file];
    let position = start;
    let movedAtMs = performance.now();
    await storeTries({
      addresses: this.#addresses,
      policy: { ...defaultRetryPolicy, ...this.#options.retry },
      signal: this.#signal,
      attempt: async ({ record }) => {
        const url = record.files[file]?.url;
        if (url == null) throw new ProtocolError("the service has signed no address for a file");
        const rest = { url, start: position, end: start + length, size, signal: this.#signal };
        for await (const chunk of readRange(this.#connections, rest)) {
          await take(chunk, position);
          position += chunk.length;
          movedAtMs = performance.now();
          this.#count(chunk.length);
        }
      },
      hopeless: (error) => {
        if (performance.now() - movedAtMs < patienceMs) return undefined;
        return new StoreError(error.message, error.status, error);
      },
    });
  }

  /** Finishes a file: syncs and verifies it; a wrong one is fetched once more. */
  async #finishFile(file: number): Promise<void> {
    const { name, size } = this.#record.files[file];
    const expected = this.#checksums.get(name);
    for (let tries = 1; ; tries++) {
      await using handle = await this.#directory.openFile(name);
      await handle.truncate(size);
      await handle.sync();
      if (expected === undefined) break;
      const actual = await sha256Of(handle, size, this.#signal);
      if (actual === expected) break;
      this.#state.ranges[file] = "0".repeat(this.#state.ranges[file]?.length ?? 0);
      if (tries === 2) throw mismatch(name, expected, actual);
      this.#count(-size);
      for (const range of this.#rangesOf(file)) await this.#fetchRange(range);
    }
    this.#state.whole[file] = true;
    this.#directory.touch();
  }

  async #text(file: number): Promise<Buffer> {
    const { size, name } = this.#record.files[file];
    if (size > listBytesMax)
      throw new IntegrityError(`${name} is too large for a list of checksums`);
    const chunks: Uint8Array[] = [];
    await this.#received(file, 0, size, async (chunk) => void chunks.push(chunk));
    this.#bytes = 0;
    return Buffer.concat(chunks);
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    const { onProgress } = this.#options;
    onProgress?.({ phase: "fetching", bytes: this.#bytes, bytesTotal: this.#bytesTotal });
  }

  #sum(numbers: readonly number[]): number {
    return numbers.reduce((sum, number) => sum + number, 0);
  }
}

/** Not by a stream that takes the signal: when aborted, it may emit an error without a listener. */
async function sha256Of(handle: FileHandle, size: number, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(size, 512 * 1_024)));
  for (let position = 0; ;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return hash.digest("hex");
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
}

function mismatch(name: string, expected: string, actual: string): IntegrityError {
  return new IntegrityError(
    `${name} differs from the pushed file: its SHA-256 is ${actual} and should be ${expected}`,
  );
}
