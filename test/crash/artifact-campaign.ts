import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { UploadReply } from "@lossless/protocol";
import { ok } from "../http.ts";
import { ArtifactCaller, fetchBytes, type Files, sendPart } from "../contract/artifact-caller.ts";
import { organizations, Service } from "../service.ts";
import { runVerify } from "./verify-command.ts";

export interface ArtifactCampaignOptions {
  cycles: number;
  seed: number;
  /** Holds the data directory of the service. */
  directory: string;
  /** It ends the service like an accident; what it acknowledged must be there at its next start. */
  strike: (service: Service) => Promise<void>;
  progress?: (line: string) => void;
}

export interface ArtifactCampaignResult {
  cycles: number;
  acknowledgedParts: number;
  acknowledgedVersions: number;
  /** Uploads that were cut off and finished after the start, with the parts acknowledged before. */
  finishedUploads: number;
  violations: string[];
}

const writersCount = 4;
const versionsPerCycleMax = 50;
const comparedVersions = 100;

/**
 * Writers of the built-in location, cut off again and again. After each start: every committed
 * version is byte for byte what was sent, and every upload that was cut off can be finished without
 * sending again what had its ETag.
 */
export async function runArtifactCampaign(
  options: ArtifactCampaignOptions,
): Promise<ArtifactCampaignResult> {
  const { cycles, seed, directory, strike, progress } = options;
  const result: ArtifactCampaignResult = {
    cycles: 0,
    acknowledgedParts: 0,
    acknowledgedVersions: 0,
    finishedUploads: 0,
    violations: [],
  };
  const writers = Array.from({ length: writersCount }, (_, number) => {
    return new Writer(`runs/writer-${number}`, `${seed} ${number}`, result);
  });
  const flags = ["--disk-reserve-bytes", "0"];
  for (let cycle = 0; cycle < cycles; cycle++) {
    await using service = await Service.start({ directory, flags });
    const caller = callerOf(service);
    for (const writer of writers) await writer.check(caller);
    const work = writers.map((writer) => writer.work(caller));
    let isOver = false;
    const ended = Promise.all(work).then(() => {
      isOver = true;
    });
    await sleep(30 + (hash(`${seed} ${cycle}`)[0] % 250));
    // A slow machine may be at nothing yet; a campaign that acknowledged nothing proves nothing.
    while (!isOver && result.acknowledgedVersions === 0) await sleep(10);
    await strike(service);
    await ended;
    result.cycles += 1;
    progress?.(`cycle ${result.cycles} of ${cycles}, ${result.acknowledgedVersions} versions`);
    if (result.violations.length > 0) return result;
  }
  await using service = await Service.start({ directory, flags });
  for (const writer of writers) await writer.check(callerOf(service));
  const { code, output } = await runVerify(service);
  if (code !== 0) result.violations.push(`verify ended with ${code}: ${output}`);
  return result;
}

/** One artifact: what was sent, and what the service said to it. */
class Writer {
  readonly #artifact: string;
  readonly #seed: string;
  readonly #result: ArtifactCampaignResult;
  readonly #committed = new Map<string, Files>();
  #epoch: number | undefined;
  #next = 1;
  #running: Running | undefined;

  constructor(artifact: string, seed: string, result: ArtifactCampaignResult) {
    this.#artifact = artifact;
    this.#seed = seed;
    this.#result = result;
  }

  /** Versions, one after the other, until the connection breaks. */
  async work(caller: ArtifactCaller): Promise<void> {
    try {
      this.#epoch ??= (await caller.open(this.#artifact)).epoch;
      for (let count = 0; count < versionsPerCycleMax; count++) await this.#write(caller);
    } catch (error) {
      if (!isBroken(error)) this.#violation(`${String(error)}`);
    }
  }

  /** Finishes what was cut off, then compares everything. */
  async check(caller: ArtifactCaller): Promise<void> {
    try {
      if (this.#running?.upload !== undefined && this.#running.etags.size > 0) {
        await this.#finish(caller, this.#running, this.#running.upload);
        this.#result.finishedUploads += 1;
      }
      this.#running = undefined;
      // A version whose begin or open was cut off is written anew, under another name.
      if (this.#epoch === undefined) return;
      await this.#compareList(caller);
      for (const [version, files] of this.#committed) await this.#compare(caller, version, files);
      // Older ones were compared once after a start; that they stay is for `verify`.
      for (const version of [...this.#committed.keys()].slice(0, -3)) this.#forgetBytes(version);
    } catch (error) {
      this.#violation(`cannot be checked: ${String(error)}`);
    }
  }

  async #write(caller: ArtifactCaller): Promise<void> {
    const version = String(this.#next++).padStart(6, "0");
    const files = filesOf(`${this.#seed} ${version}`);
    const running: Running = { version, files, upload: undefined, etags: new Map() };
    this.#running = running;
    running.upload = await caller.begin(this.#artifact, version, this.#epoch!, files);
    await this.#finish(caller, running, running.upload);
  }

  /** Sends the parts that have no ETag yet, and commits. */
  async #finish(caller: ArtifactCaller, running: Running, upload: UploadReply): Promise<void> {
    const { version, files, etags } = running;
    const query = { artifact: this.#artifact, upload: upload.upload };
    const signed = await caller.post("versions/resign", query, { epoch: this.#epoch });
    // 409 conflict: the commit before the accident went through, its reply did not.
    const parts = signed.status === 409 ? undefined : ok<UploadReply>(signed, 200).files;
    await Promise.all(
      (parts ?? []).map(async ({ name, parts: [part] }) => {
        if (etags.has(name)) return;
        const reply = await sendPart(part, files[name]);
        if (reply.status !== 200) throw new Error(`a part was answered with ${reply.status}`);
        etags.set(name, String(reply.headers.etag));
        this.#result.acknowledgedParts += 1;
      }),
    );
    const sent = Object.keys(files).map((name) => ({ name, etags: [etags.get(name) ?? ""] }));
    ok(await caller.commit(this.#artifact, upload.upload, this.#epoch!, sent), 200);
    this.#committed.set(version, files);
    this.#result.acknowledgedVersions += 1;
    this.#running = undefined;
  }

  /** The newest ones: a page holds 200. */
  async #compareList(caller: ArtifactCaller): Promise<void> {
    const known = [...this.#committed.keys()];
    const after = known.at(-comparedVersions - 1);
    const { versions } = await caller.list(this.#artifact, { after });
    const names = versions.map(({ version }) => version).join(" ");
    const expected = known.slice(-comparedVersions).join(" ");
    if (names !== expected) this.#violation(`has the versions ${names} instead of ${expected}`);
  }

  async #compare(caller: ArtifactCaller, version: string, files: Files): Promise<void> {
    if (Object.keys(files).length === 0) return;
    const record = await caller.read(this.#artifact, version, { urls: "1" });
    for (const { name, url } of record.files) {
      const isSame = files[name]?.equals(await fetchBytes(url));
      if (isSame !== true) this.#violation(`version ${version}: the file ${name} differs`);
    }
  }

  #forgetBytes(version: string): void {
    this.#committed.set(version, {});
  }

  #violation(sentence: string): void {
    this.#result.violations.push(`${this.#artifact} ${sentence}`);
  }
}

interface Running {
  version: string;
  files: Files;
  upload: UploadReply | undefined;
  /** By file; each file has one part. */
  etags: Map<string, string>;
}

function filesOf(seed: string): Files {
  const largeBytes = 200_000 + hash(seed)[0] * 1_000;
  return {
    empty: Buffer.alloc(0),
    small: Buffer.alloc(1_000, hash(`${seed} small`)),
    large: Buffer.alloc(largeBytes, hash(`${seed} large`)),
  };
}

function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** The connection broke, or the service was already gone. */
function isBroken(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return /^(ECONN|EPIPE)/.test(code ?? "") || /socket hang up|aborted/.test(message);
}

function callerOf({ baseUrl }: Service): ArtifactCaller {
  return new ArtifactCaller({ baseUrl, observe: () => {} }, organizations.acme.key);
}
