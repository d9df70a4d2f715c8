import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listening, LoopbackServer } from "../loopback.ts";
import { answer } from "./double/answer.ts";
import {
  StoredBucket,
  type ConfigurationName,
  type OpenUpload,
  type StoredObject,
} from "./double/contents.ts";
import { dialectOf, type Dialect, type DialectName } from "./double/dialects.ts";
import type { StoreState } from "./double/exchange.ts";
import { FaultPlan, type FaultFunction, type FaultRule } from "./double/faults.ts";
import { RequestLog } from "./double/request-log.ts";
import type { Credentials } from "./double/signature.ts";
import type { S3Store } from "./store.ts";

export type { Credentials, Dialect, DialectName, OpenUpload, StoredObject };
export type { Fault, FaultFunction, FaultKind, FaultRule, FaultSubject } from "./double/faults.ts";
export type { LoggedRequest } from "./double/request-log.ts";
export type { Operation } from "./double/operation.ts";

export interface S3DoubleOptions {
  /** How the store behaves where stores differ; AWS by default. */
  dialect?: DialectName | Partial<Dialect>;
  accessKeyId?: string;
  secretAccessKey?: string;
  /** Further credentials, for instance temporary ones with a session token. */
  credentials?: readonly Credentials[];
  region?: string;
  /** Buckets that are there from the start. */
  buckets?: readonly string[];
  /** Milliseconds since 1970; expiry, skew and the Date header follow it. */
  clock?: () => number;
  /** The least size of a part that is not the last; S3 says 5 MiB. */
  minPartBytes?: number;
  /** The most entries of one page of a list; S3 gives 1,000. */
  pageMost?: number;
  faults?: readonly FaultRule[] | FaultFunction;
  /** The faults' probabilities are drawn from it. */
  seed?: number;
  /** Bodies of more than this go to a temporary directory; by default all stay in memory. */
  spillBytes?: number;
  /** Virtual-hosted style: `bucket.<domain>` as the Host. Path style always works. */
  domain?: string;
}

/**
 * An S3 store in this process that believes nothing: signatures, expiry, payload hashes, part rules
 * are verified as AWS documents them, and what it does not know it refuses. It fails on command.
 * What it holds is looked at through its properties, never through HTTP.
 */
export class S3Double extends LoopbackServer implements S3Store {
  readonly name = "double";
  readonly pathStyle = true;
  readonly endpoint = this.origin;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly faults: FaultPlan;
  readonly log: RequestLog;
  readonly #state: StoreState;
  readonly #directory: string | null;
  readonly #credentials: Credentials[];

  private constructor(
    server: Server,
    state: StoreState,
    credentials: Credentials[],
    plan: { faults: FaultPlan; log: RequestLog; directory: string | null },
  ) {
    super(server);
    this.#state = state;
    this.#directory = plan.directory;
    this.region = state.region;
    this.#credentials = credentials;
    this.accessKeyId = credentials[0].accessKeyId;
    this.secretAccessKey = credentials[0].secretAccessKey;
    this.faults = plan.faults;
    this.log = plan.log;
  }

  static async start(options: S3DoubleOptions = {}): Promise<S3Double> {
    const main = {
      accessKeyId: options.accessKeyId ?? "AKDOUBLE",
      secretAccessKey: options.secretAccessKey ?? "the-secret-of-the-double",
    };
    const state: StoreState = {
      buckets: new Map((options.buckets ?? ["b"]).map((name) => [name, new StoredBucket()])),
      dialect: dialectOf(options.dialect ?? "aws"),
      region: options.region ?? "us-east-1",
      minPartBytes: options.minPartBytes ?? 5 * 2 ** 20,
      pageMost: options.pageMost ?? 1_000,
      nowMs: options.clock ?? Date.now,
    };
    const { spillBytes } = options;
    const directory =
      spillBytes === undefined ? null : await mkdtemp(join(tmpdir(), "lossless-s3-double-"));
    const plan = {
      faults: new FaultPlan(options.faults, options.seed),
      log: new RequestLog(),
      directory,
    };
    const credentials: Credentials[] = [main, ...(options.credentials ?? [])];
    const answering = {
      ...plan,
      state,
      credentials,
      domain: options.domain ?? "localhost",
      bodies: { directory, spillBytes: spillBytes ?? 0 },
    };
    const server = createServer((request, response) => {
      // A fault of the double itself must fail the test that met it, not hang it.
      answer(request, response, answering).catch((error: unknown) => {
        process.emitWarning(`S3Double: ${error instanceof Error ? error.stack : String(error)}`);
        response.destroy();
      });
    });
    // An idle connection is closed by its client: a server's closing races with the next request.
    server.keepAliveTimeout = 0;
    server.requestTimeout = 0;
    return new S3Double(await listening(server), state, credentials, plan);
  }

  /** The requests so far, the refused ones too. */
  get requests() {
    return this.log.all;
  }

  /** The stored objects are by key. The map is the store's own: a delete there loses an object. */
  objects(bucket: string): Map<string, StoredObject> {
    return this.#bucket(bucket).objects;
  }

  /** The names of its buckets. */
  get buckets(): string[] {
    return [...this.#state.buckets.keys()];
  }

  /** Further ones that are known from now on, for instance those of a session. */
  addCredentials(credentials: Credentials): void {
    this.#credentials.push(credentials);
  }

  /** All but its own user's, as if somebody had revoked them. */
  forgetCredentials(): void {
    this.#credentials.splice(1);
  }

  /** The document that was put, as it came. */
  configuration(bucket: string, name: ConfigurationName): string | undefined {
    return this.#bucket(bucket).configurations.get(name);
  }

  /** Multipart uploads neither completed nor aborted. */
  uploads(bucket: string): OpenUpload[] {
    return [...this.#bucket(bucket).uploads.values()];
  }

  /** As if somebody else had aborted it, for instance a lifecycle rule. */
  forgetUpload(bucket: string, uploadId: string): boolean {
    return this.#bucket(bucket).uploads.delete(uploadId);
  }

  async createBucket(name: string): Promise<void> {
    if (!this.#state.buckets.has(name)) this.#state.buckets.set(name, new StoredBucket());
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    if (this.#directory !== null) await rm(this.#directory, { recursive: true, force: true });
  }

  #bucket(name: string): StoredBucket {
    const bucket = this.#state.buckets.get(name);
    if (bucket === undefined) throw new Error(`the double has no bucket ${name}`);
    return bucket;
  }
}
