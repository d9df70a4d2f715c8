import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type ErrorCode, errorData, errorEvent } from "@lossless/protocol";
import { failureRecord, type StreamForm } from "../../experiments/series/stream-form.ts";
import { ServiceError } from "../../ground/errors.ts";
import { drained } from "../replies/drained.ts";
import type { CutReason, UnreadReplies } from "../limits/unread-replies.ts";

/** The way a stream ended; complete: all of it was sent, an error record at its end included. */
export type StreamEnd = "complete" | "client_gone" | CutReason | "stopping" | "failed";

export interface StreamOptions {
  /** The messageId of the request, for an error record. */
  correlationId: string;
  form: StreamForm;
  /** Cuts a reader that takes no bytes. */
  unread: UnreadReplies;
  /** Aborts when the service stops: the stream then ends with an error record (M72). */
  stop: AbortSignal;
  /** Called with the error that ended the stream when it is an unexpected one. */
  onError(error: unknown): void;
}

/**
 * Sends chunks of whole records one by one, each when the client has taken the previous one: memory
 * holds one chunk whatever the stream's length. However it ends, the iterator is told, so that
 * storage frees the snapshot.
 */
export async function sendRecords(
  response: ServerResponse,
  chunks: AsyncIterable<Uint8Array>,
  options: StreamOptions,
): Promise<StreamEnd> {
  const iterator = chunks[Symbol.asyncIterator]();
  const interrupts = new Interrupts(response, options);
  let isBegun = false;
  try {
    for (;;) {
      const next = await interrupts.during(iterator.next());
      if (next === undefined) return finish(response, interrupts.reason, options, isBegun);
      if (next.done === true) {
        response.end();
        return "complete";
      }
      isBegun = true;
      if (response.write(next.value, () => free(next.value))) continue;
      await interrupts.during(drained(response));
      if (interrupts.reason !== undefined)
        return finish(response, interrupts.reason, options, isBegun);
    }
  } catch (error) {
    const isExpected = error instanceof ServiceError;
    if (!isExpected) options.onError(error);
    response.end(errorRecord(isExpected ? error.code : "internal", options, isBegun));
    return "failed";
  } finally {
    interrupts.release();
    iterator.return?.().catch((error: unknown) => options.onError(error));
  }
}

/**
 * Frees the memory of a chunk that was sent: collecting the garbage of large chunks took a third of
 * the time of a stream.
 */
function free({ buffer, byteLength }: Uint8Array): void {
  // A small buffer of Node is a part of one that others use.
  const isWhole = buffer.byteLength === byteLength;
  if (isWhole && byteLength > 0 && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

function finish(
  response: ServerResponse,
  reason: StreamEnd | undefined,
  options: StreamOptions,
  isBegun: boolean,
): StreamEnd {
  if (reason === "stopping") response.end(errorRecord("shutting_down", options, isBegun));
  else response.destroy();
  return reason ?? "client_gone";
}

function errorRecord(
  code: ErrorCode,
  { form, correlationId }: StreamOptions,
  isBegun: boolean,
): Uint8Array {
  const messageId = randomUUID();
  const record = { messageId, correlationId, event: errorEvent, data: errorData(code) };
  return failureRecord(form, record, isBegun);
}

/** Events from outside that can end a stream while it waits for the storage or for the client. */
class Interrupts {
  reason: StreamEnd | undefined;
  readonly #response: ServerResponse;
  readonly #stop: AbortSignal;
  readonly #onClose: () => void;
  readonly #onStop = () => this.#raise("stopping");
  #wake: () => void = () => {};

  constructor(response: ServerResponse, { unread, stop }: StreamOptions) {
    this.#response = response;
    this.#stop = stop;
    const { socket } = response.req;
    this.#onClose = () => this.#raise(unread.reasonOf(socket) ?? "client_gone");
    response.on("close", this.#onClose);
    stop.addEventListener("abort", this.#onStop);
    if (stop.aborted) this.#raise("stopping");
    if (response.destroyed) this.#raise("client_gone");
  }

  /** Returns the result of the work, or undefined as soon as an event interrupts it. */
  during<Result>(work: Promise<Result>): Promise<Result | undefined> {
    return new Promise((resolve, reject) => {
      this.#wake = () => resolve(undefined);
      if (this.reason !== undefined) resolve(undefined);
      work.then(resolve, reject);
    });
  }

  release(): void {
    this.#response.off("close", this.#onClose);
    this.#stop.removeEventListener("abort", this.#onStop);
  }

  #raise(reason: StreamEnd): void {
    this.reason ??= reason;
    this.#wake();
  }
}
