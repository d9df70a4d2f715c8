import { limits } from "@lossless/protocol/limits";
import type { StoreError, ArtifactBucket, PartLimits } from "./bucket.ts";

/** Replacement for a bucket that cannot be reached any more: every call rejects with one error. */
export class RefusingBucket implements ArtifactBucket {
  readonly readableKeys = true;
  readonly limits: PartLimits = {
    partsMax: limits.partsPerUploadMax,
    partBytesMin: limits.partBytesMin,
    partBytesMax: limits.partBytesMax,
  };
  readonly #refusal: () => StoreError;

  constructor(refusal: () => StoreError) {
    this.#refusal = refusal;
  }

  put = () => this.#refuse();
  read = () => this.#refuse();
  size = () => this.#refuse();
  inspect = () => this.#refuse();
  delete = () => this.#refuse();
  startUpload = () => this.#refuse();
  signParts = () => this.#refuse();
  signReads = () => this.#refuse();
  listParts = () => this.#refuse();
  complete = () => this.#refuse();
  abort = () => this.#refuse();
  list = () => this.#refuseList();
  listUploads = () => this.#refuseList();

  async [Symbol.asyncDispose](): Promise<void> {}

  async #refuse(): Promise<never> {
    throw this.#refusal();
  }

  // oxlint-disable-next-line require-yield -- it ends at its first step
  async *#refuseList(): AsyncGenerator<never> {
    throw this.#refusal();
  }
}
