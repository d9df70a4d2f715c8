import type {
  ArtifactBucket,
  CompletedPart,
  ObjectToRead,
  PartLimits,
  OpenPart,
  Signed,
  SignedRequest,
  StoredObject,
  StoredPart,
  StoreUpload,
  ListedObject,
} from "../bucket.ts";
import { S3Bucket, type S3Settings } from "./bucket.ts";

/** Credentials that end. */
export interface S3Session {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
  expiresAtMs: number;
}

export interface RenewedS3Settings extends Omit<
  S3Settings,
  "accessKeyId" | "secretAccessKey" | "sessionToken" | "sessionExpiresAtMs"
> {
  /** The session to use now: the same object until it is renewed. */
  session: () => Promise<S3Session>;
  /** Returns the error that a call throws for one of the store's driver with this session. */
  explain: (error: unknown, session: S3Session) => unknown;
}

/**
 * A bucket of S3 whose credentials change. Each session has a driver of its own; a replaced one
 * lives until its last call is over, so that no call changes its credentials half way.
 */
export class RenewedS3Bucket implements ArtifactBucket {
  readonly readableKeys = true;
  readonly limits: PartLimits;
  readonly #settings: RenewedS3Settings;
  readonly #drivers = new Set<Driver>();
  #newest: Driver | undefined;
  #isDisposed = false;

  constructor(settings: RenewedS3Settings) {
    this.#settings = settings;
    this.limits = S3Bucket.limitsOf(settings);
  }

  put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    return this.#use((bucket) => bucket.put(key, parts));
  }

  read(key: string, offset: number, length: number): Promise<Uint8Array> {
    return this.#use((bucket) => bucket.read(key, offset, length));
  }

  size(key: string): Promise<number> {
    return this.#use((bucket) => bucket.size(key));
  }

  inspect(key: string): Promise<StoredObject> {
    return this.#use((bucket) => bucket.inspect(key));
  }

  delete(key: string): Promise<void> {
    return this.#use((bucket) => bucket.delete(key));
  }

  list(prefix: string): AsyncIterable<ListedObject> {
    return this.#useEach((bucket) => bucket.list(prefix));
  }

  startUpload(key: string): Promise<string> {
    return this.#use((bucket) => bucket.startUpload(key));
  }

  signParts(parts: readonly OpenPart[], lifetimeMs: number): Promise<Signed<SignedRequest>> {
    return this.#use((bucket) => bucket.signParts(parts, lifetimeMs));
  }

  signReads(objects: readonly ObjectToRead[], lifetimeMs: number): Promise<Signed<string>> {
    return this.#use((bucket) => bucket.signReads(objects, lifetimeMs));
  }

  listParts(upload: StoreUpload): Promise<StoredPart[]> {
    return this.#use((bucket) => bucket.listParts(upload));
  }

  complete(upload: StoreUpload, parts: readonly CompletedPart[]): Promise<null> {
    return this.#use((bucket) => bucket.complete(upload, parts));
  }

  abort(upload: StoreUpload): Promise<void> {
    return this.#use((bucket) => bucket.abort(upload));
  }

  listUploads(prefix: string): AsyncIterable<StoreUpload & { startedMs: number }> {
    return this.#useEach((bucket) => bucket.listUploads(prefix));
  }

  /** Drivers that are kept at the moment: one, and those that are still used. */
  get driverCount(): number {
    return this.#drivers.size;
  }

  /** Calls under way fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    for (const { bucket } of this.#drivers) await bucket[Symbol.asyncDispose]();
    this.#drivers.clear();
    this.#newest = undefined;
  }

  async #use<Result>(work: (bucket: S3Bucket) => Promise<Result>): Promise<Result> {
    const driver = await this.#take();
    try {
      return await work(driver.bucket);
    } catch (error) {
      throw this.#settings.explain(error, driver.session);
    } finally {
      await this.#give(driver);
    }
  }

  async *#useEach<Item>(work: (bucket: S3Bucket) => AsyncIterable<Item>): AsyncIterable<Item> {
    const driver = await this.#take();
    try {
      yield* work(driver.bucket);
    } catch (error) {
      throw this.#settings.explain(error, driver.session);
    } finally {
      await this.#give(driver);
    }
  }

  async #take(): Promise<Driver> {
    const session = await this.#settings.session();
    if (this.#isDisposed) throw new Error("BUG: a bucket was used after its end");
    if (this.#newest?.session !== session) {
      const replaced = this.#newest;
      this.#newest = { session, bucket: this.#open(session), calls: 0 };
      this.#drivers.add(this.#newest);
      if (replaced !== undefined) await this.#endIfUnused(replaced);
    }
    this.#newest.calls += 1;
    return this.#newest;
  }

  async #give(driver: Driver): Promise<void> {
    driver.calls -= 1;
    await this.#endIfUnused(driver);
  }

  async #endIfUnused(driver: Driver): Promise<void> {
    if (driver === this.#newest || driver.calls > 0 || !this.#drivers.delete(driver)) return;
    await driver.bucket[Symbol.asyncDispose]();
  }

  #open({ expiresAtMs, ...keys }: S3Session): S3Bucket {
    return new S3Bucket({ ...this.#settings, ...keys, sessionExpiresAtMs: expiresAtMs });
  }
}

interface Driver {
  session: S3Session;
  bucket: S3Bucket;
  /** Under way. */
  calls: number;
}
