import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../bucket.ts";
import { sendToCloud, tooLarge, type CloudReply, type CloudRequest } from "../cloud-request.ts";
import { codeOf, storeFailure, strangeReply } from "./failure.ts";
import { azureVersion } from "./sas.ts";
import {
  BadXml,
  childAt,
  parseXmlList,
  textAt,
  TooMuchXml,
  type XmlElement,
} from "../store-xml.ts";

export interface ContainerSettings {
  /** Address of the account, without a slash at its end. */
  endpoint: string;
  container: string;
  /** A bearer token for `https://storage.azure.com`. */
  token: () => Promise<string>;
  /** Hears of a token that Azure does not take; the next one has to be another. */
  onRefusedToken?: (token: string) => void;
  deadlineMs?: number | undefined;
  /** Aborted at the deadline of the work to which these calls belong. */
  end?: AbortSignal | undefined;
}

/** A blob, or one state of it, as listed by List Blobs. */
export interface ListedBlob {
  key: string;
  sizeBytes: number;
  modifiedMs: number;
  versionId: string | undefined;
}

export interface BlobCall extends Pick<CloudRequest, "operation" | "method"> {
  key: string;
  query?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array<ArrayBuffer>;
  replyBytesMax?: number;
  /** Answers that the caller judges itself, by Azure's code; any other from 300 on is thrown. */
  expected?: readonly string[];
  /** False for a call whose repetition would have another effect. */
  isRepeatable?: boolean;
  /**
   * Whether to break a lease: a client that has a part's address may lease the blob and block this
   * call.
   */
  breaksLease?: boolean;
}

/** Calls to a container with the service's own token. Transient failures are tried three times. */
export class AzureContainer {
  readonly address: string;
  readonly #settings: ContainerSettings;
  readonly #closed = new AbortController();
  readonly #end: AbortSignal;

  constructor(settings: ContainerSettings) {
    this.#settings = settings;
    const ends = settings.end === undefined ? [] : [settings.end];
    this.#end = AbortSignal.any([this.#closed.signal, ...ends]);
    this.address = `${settings.endpoint}/${settings.container}`;
  }

  get deadlineMs(): number {
    return this.#settings.deadlineMs ?? usualDeadlineMs;
  }

  async call({ key, query = "", ...call }: BlobCall): Promise<CloudReply & { code: string }> {
    const url = `${this.address}/${key}${query === "" ? "" : `?${query}`}`;
    let reply = await this.#send(url, call);
    if (call.breaksLease === true && reply.status === 412 && codeOf(reply) === "LeaseIdMissing") {
      await this.#breakLease(key);
      reply = await this.#send(url, call);
    }
    const code = reply.status < 300 ? "" : codeOf(reply);
    if (code === "" || call.expected?.includes(code) === true) return { ...reply, code };
    throw storeFailure(call.operation, reply);
  }

  /**
   * Reads pages of List Blobs; `include` is Azure's parameter for more than the committed, current
   * state.
   */
  async *pages(
    prefix: string,
    include: "" | "uncommittedblobs" | "versions",
  ): AsyncIterable<ListedBlob[]> {
    const operation = "List Blobs";
    const wanted = include === "" ? "" : `&include=${include}`;
    let marker = "";
    do {
      const query =
        `restype=container&comp=list&maxresults=${entriesMax}&prefix=${encodeURIComponent(prefix)}${wanted}` +
        (marker === "" ? "" : `&marker=${encodeURIComponent(marker)}`);
      const call = { operation, method: "GET" as const, replyBytesMax: listBytesMax };
      const reply = await this.#send(`${this.address}?${query}`, call);
      if (reply.status !== 200) throw storeFailure(operation, reply);
      const root = await xmlOf(operation, reply);
      const blobs = childAt(root, "Blobs")?.children ?? [];
      yield blobs.filter(({ name }) => name === "Blob").map(listed);
      const next = textAt(root, "NextMarker") ?? "";
      if (next !== "" && next === marker)
        throw new StoreError("endless list", false, "Azure's list does not advance.");
      marker = next;
    } while (marker !== "");
  }

  destroy(): void {
    this.#closed.abort();
  }

  /** Breaks the lease, ignoring the reply: the repeated call shows whether it helped. */
  async #breakLease(key: string): Promise<void> {
    const headers = { "x-ms-lease-action": "break", "x-ms-lease-break-period": "0" };
    const call = { operation: "Lease Blob", method: "PUT" as const, headers };
    await this.#send(`${this.address}/${key}?comp=lease`, call);
  }

  /** The deadline is of all attempts together. */
  async #send(url: string, call: Omit<BlobCall, "key" | "query">): Promise<CloudReply> {
    const startedMs = performance.now();
    for (let attempt = 1; ; attempt++) {
      const pauseMs = attempt * firstPauseMs;
      const leftMs = this.deadlineMs - (performance.now() - startedMs);
      const isLast = attempt === attemptsMax || call.isRepeatable === false || leftMs < 2 * pauseMs;
      try {
        const reply = await this.#sendOnce(url, call, Math.max(1, Math.ceil(leftMs)));
        if (isLast || !mayPass(reply.status)) return reply;
      } catch (error) {
        if (isLast || !(error instanceof StoreError && error.transient)) throw error;
        if (error.code === "closed") throw error;
      }
      await sleep(pauseMs);
    }
  }

  async #sendOnce(
    url: string,
    { operation, method, headers, body, replyBytesMax }: Omit<BlobCall, "key" | "query">,
    deadlineMs: number,
  ): Promise<CloudReply> {
    const token = await this.#settings.token();
    const reply = await sendToCloud({
      operation,
      method,
      url,
      headers: { ...headers, authorization: `Bearer ${token}`, "x-ms-version": azureVersion },
      ...(body !== undefined && { body }),
      deadlineMs,
      signal: this.#end,
      ...(replyBytesMax !== undefined && { replyBytesMax }),
    });
    if (reply.status === 401) this.#settings.onRefusedToken?.(token);
    return reply;
  }
}

const usualDeadlineMs = 30_000;
const attemptsMax = 3;
const firstPauseMs = 200;
/** Entries of a page. Azure would send 5,000, which take long to read. */
const entriesMax = 1_000;
const listBytesMax = 4 * 1024 * 1024;

/**
 * Whether the call may succeed later. 401: the token may have been revoked; another one is fetched.
 */
function mayPass(status: number): boolean {
  return status >= 500 || status === 429 || status === 401;
}

/** Parses in turns of the event loop: a list of blocks has megabytes. */
export async function xmlOf(operation: string, { body }: CloudReply): Promise<XmlElement> {
  try {
    return await parseXmlList(body.toString());
  } catch (error) {
    if (error instanceof TooMuchXml) throw tooLarge(operation);
    if (error instanceof BadXml) throw strangeReply(operation);
    throw error;
  }
}

function listed(blob: XmlElement): ListedBlob {
  const sizeBytes = Number(textAt(blob, "Properties", "Content-Length") ?? "0");
  if (!Number.isSafeInteger(sizeBytes)) throw strangeReply("List Blobs");
  return {
    key: textAt(blob, "Name") ?? "",
    sizeBytes,
    modifiedMs: Date.parse(textAt(blob, "Properties", "Last-Modified") ?? "") || 0,
    versionId: textAt(blob, "VersionId"),
  };
}
