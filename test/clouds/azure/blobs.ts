import { randomBytes } from "node:crypto";

/** An error of Azure, with its code in a header and in the body. */
export class BlobRefusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

export interface BlobState {
  versionId: string;
  bytes: Buffer;
  etag: string;
  modifiedMs: number;
}

/** A blob: its states, oldest first, and the blocks that wait. */
export class Blob {
  readonly states: BlobState[] = [];
  current: BlobState | undefined;
  waiting = new Map<string, Buffer>();
  /** Changes are refused to whoever does not name it. */
  lease: string | undefined;
  snapshots = 0;

  get isGone(): boolean {
    return this.current === undefined && this.waiting.size === 0;
  }
}

/** Blob containers of one account, as far as the driver uses them. */
export class BlobAccount {
  readonly containers = new Map<string, Map<string, Blob>>();
  isVersioning = false;
  #lastVersionMs = 0;

  container(name: string): Map<string, Blob> {
    const found = this.containers.get(name);
    if (found === undefined) throw new BlobRefusal(404, "ContainerNotFound");
    return found;
  }

  putBlock(container: string, key: string, id: string, bytes: Buffer): void {
    if (bytes.length === 0) throw new BlobRefusal(400, "InvalidHeaderValue");
    if (!/^[A-Za-z0-9+/]+=*$/.test(id) || Buffer.from(id, "base64").length > 64)
      throw new BlobRefusal(400, "InvalidQueryParameterValue");
    const blob = this.#changeable(container, key);
    for (const other of blob.waiting.keys())
      if (other.length !== id.length) throw new BlobRefusal(400, "InvalidBlobOrBlock");
    blob.waiting.set(id, bytes);
  }

  putBlob(container: string, key: string, bytes: Buffer, onlyNew: boolean): BlobState {
    const blob = this.#changeable(container, key);
    return this.#commit(blob, bytes, onlyNew);
  }

  putBlockList(
    container: string,
    key: string,
    ids: readonly string[],
    onlyNew: boolean,
  ): BlobState {
    const blob = this.#changeable(container, key);
    if (onlyNew && blob.current !== undefined) throw new BlobRefusal(409, "BlobAlreadyExists");
    const blocks = ids.map((id) => blob.waiting.get(id));
    if (blocks.includes(undefined)) throw new BlobRefusal(400, "InvalidBlockList");
    return this.#commit(blob, Buffer.concat(blocks as Buffer[]), onlyNew);
  }

  /** The current state, or the one that is named. */
  state(container: string, key: string, versionId: string | null): BlobState {
    const blob = this.container(container).get(key);
    const found =
      versionId === null
        ? blob?.current
        : blob?.states.find((state) => state.versionId === versionId);
    if (found === undefined) throw new BlobRefusal(404, "BlobNotFound");
    return found;
  }

  waiting(container: string, key: string): Map<string, Buffer> {
    return this.#existing(container, key).waiting;
  }

  lease(container: string, key: string, action: string): string | undefined {
    const blob = this.#existing(container, key);
    if (action === "acquire") {
      if (blob.lease !== undefined) throw new BlobRefusal(409, "LeaseAlreadyPresent");
      blob.lease = crypto.randomUUID();
    } else if (action !== "break") throw new BlobRefusal(400, "InvalidHeaderValue");
    else if (blob.lease === undefined)
      throw new BlobRefusal(409, "LeaseNotPresentWithLeaseOperation");
    else blob.lease = undefined;
    return blob.lease;
  }

  snapshot(container: string, key: string): void {
    this.state(container, key, null);
    this.#existing(container, key).snapshots++;
  }

  delete(
    container: string,
    key: string,
    versionId: string | null,
    { ifMatch, snapshots }: { ifMatch?: string | undefined; snapshots?: unknown } = {},
  ): void {
    const state = this.state(container, key, versionId);
    const blob = this.container(container).get(key)!;
    if (versionId !== null && state === blob.current)
      throw new BlobRefusal(403, "OperationNotAllowedOnRootBlob");
    if (ifMatch !== undefined && ifMatch !== state.etag)
      throw new BlobRefusal(412, "ConditionNotMet");
    if (versionId === null) {
      if (blob.lease !== undefined) throw new BlobRefusal(412, "LeaseIdMissing");
      if (blob.snapshots > 0 && snapshots !== "include")
        throw new BlobRefusal(409, "SnapshotsPresent");
      blob.snapshots = 0;
      blob.current = undefined;
      blob.waiting.clear();
    }
    if (versionId !== null || !this.isVersioning) blob.states.splice(blob.states.indexOf(state), 1);
  }

  #existing(container: string, key: string): Blob {
    const blob = this.container(container).get(key);
    if (blob === undefined || blob.isGone) throw new BlobRefusal(404, "BlobNotFound");
    return blob;
  }

  #changeable(container: string, key: string): Blob {
    const blob = this.#made(container, key);
    if (blob.lease !== undefined) throw new BlobRefusal(412, "LeaseIdMissing");
    return blob;
  }

  #made(container: string, key: string): Blob {
    const blobs = this.container(container);
    const blob = blobs.get(key) ?? new Blob();
    blobs.set(key, blob);
    return blob;
  }

  #commit(blob: Blob, bytes: Buffer, onlyNew: boolean): BlobState {
    if (onlyNew && blob.current !== undefined) throw new BlobRefusal(409, "BlobAlreadyExists");
    const state = {
      versionId: this.#newVersionId(),
      bytes,
      etag: `"0x${randomBytes(8).toString("hex").toUpperCase()}"`,
      modifiedMs: Date.now(),
    };
    if (!this.isVersioning) blob.states.length = 0;
    blob.states.push(state);
    blob.current = state;
    blob.waiting = new Map();
    return state;
  }

  #newVersionId(): string {
    this.#lastVersionMs = Math.max(Date.now(), this.#lastVersionMs + 1);
    const digits = String(Math.floor(Math.random() * 10_000)).padStart(4, "0");
    return new Date(this.#lastVersionMs).toISOString().replace("Z", `${digits}Z`);
  }
}
