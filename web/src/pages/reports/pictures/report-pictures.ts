import { limits } from "@lossless/protocol/limits";
import { signal } from "@preact/signals";
import { createContext } from "preact";
import { FileQueue } from "../../../media/file-queue.ts";
import type { Service } from "../../../signed-in.ts";

/** The pictures of a report; absent: texts of other places name none. */
export const PicturesContext = createContext<ReportPictures | undefined>(undefined);

/** Pictures of one report, each read once for its page. */
export class ReportPictures {
  readonly #service: Service;
  readonly #report: string;
  readonly #queue = new FileQueue(4, 0);
  readonly #read = new Map<string, Promise<Blob>>();
  readonly #addresses = new Map<string, string>();
  /** How many are being sent. */
  readonly sending = signal(0);

  constructor(service: Service, report: string) {
    this.#service = service;
    this.#report = report;
  }

  /** The bytes of a picture, with their type. */
  read(picture: string): Promise<Blob> {
    const known = this.#read.get(picture);
    if (known !== undefined) return known;
    const { reports } = this.#service.client;
    const file = { key: picture, read: () => reports.picture({ id: this.#report, picture }) };
    const never = new AbortController().signal;
    const read = this.#queue.read(file, never).then((bytes) => blobOf(bytes!));
    this.#read.set(picture, read);
    // Read again when somebody looks again.
    read.catch(() => this.#read.delete(picture));
    return read;
  }

  /** A short-lived address of a picture that is read; undefined: it is not. */
  known(picture: string): string | undefined {
    return this.#addresses.get(picture);
  }

  async address(picture: string): Promise<string> {
    const blob = await this.read(picture);
    const address = this.#addresses.get(picture) ?? URL.createObjectURL(blob);
    this.#addresses.set(picture, address);
    return address;
  }

  /** Puts a picture beside the report; returns the name by which its texts name it. */
  async add(file: Blob): Promise<string> {
    const most = limits.reportPictureBytesMax;
    if (file.size > most)
      throw new Error(
        `A picture has ${megabytes(most)} at most; this one has ${megabytes(file.size)}.`,
      );
    this.sending.value++;
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      const { picture } = await this.#service.client.reports.addPicture(this.#report, bytes);
      this.#read.set(picture, Promise.resolve(blobOf(bytes)));
      return picture;
    } finally {
      this.sending.value--;
    }
  }

  [Symbol.dispose](): void {
    for (const address of this.#addresses.values()) URL.revokeObjectURL(address);
    this.#addresses.clear();
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** The service keeps these four types only, which their first bytes tell apart. */
function blobOf(bytes: Uint8Array): Blob {
  const types: Record<number, string> = { 0x89: "png", 0xff: "jpeg", 0x47: "gif", 0x52: "webp" };
  const type = types[bytes[0] ?? 0];
  return new Blob(
    [bytes as Uint8Array<ArrayBuffer>],
    type === undefined ? {} : { type: `image/${type}` },
  );
}
