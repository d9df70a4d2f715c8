import { createHash } from "node:crypto";
import type { UploadReply } from "@lossless/protocol";
import {
  ArtifactCaller,
  fetchBytes,
  type Files,
  place,
  sendPart,
  type SentFile,
  sizes,
} from "../contract/artifact-caller.ts";
import { mix } from "../random.ts";
import { type HttpReply, parseObject } from "../http.ts";
import { organizations } from "../service.ts";
import type { StoredObject } from "../stores/s3-double.ts";
import type { FaultCampaignReport } from "./campaign-report.ts";

/** No answer may take longer, whatever the store does. */
const callMsMax = 35_000;
/** A client waits for the store: sixteen writers may send 8 MiB each at once, by one process. */
const partMsMax = 20_000;
const triesMax = 100;
const partBytes = 8 * 1_048_576;

interface Committed {
  version: string;
  upload: string;
  files: Files;
}

/** Writes one version after the other, each request again and again until it succeeds. */
export class VersionWriter {
  readonly #caller: ArtifactCaller;
  readonly #artifact: string;
  readonly #epoch: number;
  readonly #seed: number;
  readonly #report: FaultCampaignReport;
  readonly #committed: Committed[] = [];

  private constructor(
    caller: ArtifactCaller,
    artifact: string,
    epoch: number,
    seed: number,
    report: FaultCampaignReport,
  ) {
    this.#caller = caller;
    this.#artifact = artifact;
    this.#epoch = epoch;
    this.#seed = seed;
    this.#report = report;
  }

  static async open(
    baseUrl: string,
    number: number,
    seed: number,
    report: FaultCampaignReport,
  ): Promise<VersionWriter> {
    const target = { baseUrl, observe: () => {} };
    const caller = new ArtifactCaller(target, organizations.acme.key);
    const artifact = `runs/writer ${number}`;
    const { epoch } = await caller.open(artifact);
    return new VersionWriter(caller, artifact, epoch, mix(seed ^ mix(number)), report);
  }

  /** Those that became versions. */
  get uploads(): string[] {
    return this.#committed.map(({ upload }) => upload);
  }

  async writeOne(): Promise<void> {
    const number = this.#committed.length;
    const version = String(number).padStart(6, "0");
    const files = this.#filesOf(number);
    const [artifact, epoch] = [this.#artifact, this.#epoch];
    const begun = await this.#until("begin", 201, () => {
      const body = { epoch, place, files: sizes(files), meta: {} };
      return this.#caller.post("versions/begin", { artifact, version }, body);
    });
    if (begun === undefined) return;
    const upload = parseObject<UploadReply>(begun.text);
    const sent = await this.#send(upload, files);
    if (sent === undefined) return;
    const commit = () => this.#caller.commit(artifact, upload.upload, epoch, sent);
    const first = await this.#until("commit", 200, commit);
    if (first === undefined) return;
    this.#committed.push({ version, upload: upload.upload, files });
    if (number % 4 > 0) return;
    const again = await this.#until("repeated commit", 200, commit);
    if (again !== undefined && again.text !== first.text) {
      this.#violate(`a repeated commit: ${again.text} after ${first.text}`);
    }
  }

  /**
   * Checks that committed versions read back and are in the store byte for byte, and that there are
   * no others.
   */
  async check(objects: ReadonlyMap<string, StoredObject>): Promise<void> {
    let after: string | undefined;
    const listed: string[] = [];
    do {
      const page = await this.#caller.list(this.#artifact, { after });
      listed.push(...page.versions.map(({ version }) => version));
      after = page.next ?? undefined;
    } while (after !== undefined);
    const expected = this.#committed.map(({ version }) => version);
    if (listed.join() !== expected.join()) this.#violate(`listed ${listed.join()}`);
    for (const { version, upload, files } of this.#committed) {
      const record = await this.#caller.read(this.#artifact, version, { urls: "1" });
      if (record.files.length !== Object.keys(files).length) this.#violate(`${version} is short`);
      for (const { name, url } of record.files) {
        const bytes = await fetchBytes(url);
        if (!files[name].equals(bytes)) this.#violate(`${version} ${name} reads otherwise`);
      }
      const stored = [...objects.values()].filter(({ key }) => key.split("/").includes(upload));
      const inStore = await Promise.all(stored.map((object) => object.sha256()));
      for (const [name, bytes] of Object.entries(files)) {
        const hash = createHash("sha256").update(bytes).digest("hex");
        if (!inStore.includes(hash)) this.#violate(`${version} ${name} is not in the store`);
      }
      if (stored.length !== Object.keys(files).length + 1) {
        this.#violate(`${version} has ${stored.map(({ key }) => key).join()}`);
      }
    }
  }

  /** One to four files: small ones, now and then an empty one or one of two parts. */
  #filesOf(number: number): Files {
    const files: Files = {};
    const bits = mix(this.#seed ^ mix(number));
    for (let at = 0; at <= bits % 4; at++) {
      const sizeBytes =
        number % 20 === 7 && at === 0 ? partBytes + (bits % 99) : (bits >>> at) % 999;
      files[at % 2 === 0 ? `file ${at}` : `dir/ü${at}`] = Buffer.alloc(
        sizeBytes,
        createHash("sha256").update(`${this.#seed} ${number} ${at}`).digest(),
      );
    }
    if (number % 5 === 0) files.empty = Buffer.alloc(0);
    return files;
  }

  async #send(upload: UploadReply, files: Files): Promise<SentFile[] | undefined> {
    const sent: SentFile[] = [];
    for (const { name, partSize, parts } of upload.files) {
      const etags: string[] = [];
      for (const [at, part] of parts.entries()) {
        const body = files[name].subarray(at * partSize, (at + 1) * partSize);
        const etag = await this.#sendPart(part, body);
        if (etag === undefined) return undefined;
        etags.push(etag);
      }
      sent.push({ name, etags });
    }
    return sent;
  }

  /** Straight to the store: whatever happens there, a part can be sent again. */
  async #sendPart(part: Parameters<typeof sendPart>[0], body: Buffer): Promise<string | undefined> {
    for (let tries = 0; tries < triesMax; tries++) {
      const reply = await within(partMsMax, sendPart(part, body));
      if (reply?.status === 200) return String(reply.headers.etag);
      this.#report.partsAgain += 1;
    }
    this.#violate(`a part was refused ${triesMax} times`);
    return undefined;
  }

  /** The service's own requests: each ends in time; a store's failure is `upstream`, no other. */
  async #until(
    what: string,
    status: number,
    request: () => Promise<HttpReply>,
  ): Promise<HttpReply | undefined> {
    for (let tries = 0; tries < triesMax; tries++) {
      const started = performance.now();
      const reply = await within(2 * callMsMax, request());
      const tookMs = performance.now() - started;
      this.#report.slowestCallMs = Math.max(this.#report.slowestCallMs, Math.round(tookMs));
      if (tookMs > callMsMax) this.#violate(`${what} took ${Math.round(tookMs)} ms`);
      if (reply === undefined) return undefined;
      if (reply.status === status) return reply;
      if (reply.status !== 502 || parseObject(reply.text).error !== "upstream") {
        this.#violate(`${what}: ${reply.status} ${reply.text}`);
        return undefined;
      }
      this.#report.upstream += 1;
    }
    this.#violate(`${what} failed ${triesMax} times`);
    return undefined;
  }

  #violate(what: string): void {
    this.#report.violations.push(`${this.#artifact}: ${what}`);
  }
}

/** Undefined when it fails, or is not there in time. */
async function within<Result>(ms: number, work: Promise<Result>): Promise<Result | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, ms, undefined);
  try {
    return await Promise.race([work, promise]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
