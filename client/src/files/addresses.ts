import type { SignedUpload } from "../artifacts.ts";
import { ProtocolError } from "../errors.ts";
import type { SignedPart } from "../wire.ts";
import type { Part } from "./part.ts";

/** New addresses are fetched when less than this share of their life is left, and at most this long before. */
const marginShare = 0.1;
const marginMsMax = 300_000;

/**
 * The signed addresses of an upload, shared by everybody who sends parts of it: when they end, or when a store
 * refuses one, one request renews all of them.
 */
export class Addresses {
  readonly #resign: () => Promise<SignedUpload>;
  #upload: SignedUpload;
  #renewAtMs: number;
  #generation = 0;
  #renewal: Promise<void> | undefined;

  constructor(upload: SignedUpload, resign: () => Promise<SignedUpload>) {
    this.#resign = resign;
    this.#upload = upload;
    this.#renewAtMs = renewAtMs(upload);
  }

  /** Where to send the part, and which generation of addresses that is. */
  async of({ file, number }: Part): Promise<{ address: SignedPart; generation: number }> {
    if (performance.now() >= this.#renewAtMs) await this.renew(this.#generation);
    const address = this.#upload.files[file]?.parts[number];
    if (address === undefined) throw new ProtocolError("the upload has lost a part");
    return { address, generation: this.#generation };
  }

  /** New addresses, unless somebody has renewed those of `generation` already. */
  async renew(generation: number): Promise<void> {
    if (generation !== this.#generation) return;
    this.#renewal ??= this.#renewed();
    await this.#renewal;
  }

  async #renewed(): Promise<void> {
    try {
      const upload = await this.#resign();
      this.#upload = upload;
      this.#renewAtMs = renewAtMs(upload);
      this.#generation++;
    } finally {
      this.#renewal = undefined;
    }
  }
}

/** On our own clock, but by the service's: `validForMs` is between two times of the same reply. */
function renewAtMs({ validForMs }: SignedUpload): number {
  const marginMs = Math.min(marginMsMax, validForMs * marginShare);
  // Addresses that are always late (a clock that jumps) must not be renewed with every part.
  return performance.now() + Math.max(1_000, validForMs - marginMs);
}
