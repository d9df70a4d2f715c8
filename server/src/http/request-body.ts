import type { IncomingMessage } from "node:http";
import { createGunzip } from "node:zlib";
import { errors } from "@lossless/protocol";
import { ServiceError } from "../errors.ts";
import { release } from "../release.ts";
import type { RequestBudget, Reservation } from "./request-budget.ts";

/** The connection ended before the body did: there is nobody to answer. */
export class ClientGone extends Error {
  override name = "ClientGone";
}

export interface RequestBody extends Disposable {
  readonly bytes: Buffer;
}

/** What a body is; the endpoint says which one it takes. */
type MediaType = "json" | "form";

export interface BodyForm {
  mediaType?: MediaType;
  /** Not where anybody may send one: 32 KB of gzip unpack to 32 MiB. */
  mayBeGzip?: boolean;
}

/**
 * Gathers a body: media type and encoding (415), declared and real size, compressed and
 * unpacked (413), bytes of all requests together (503). The body counts against the budget until it
 * is disposed, which the caller does when the reply is made.
 */
export async function readRequestBody(
  request: IncomingMessage,
  maximumBytes: number,
  budget: RequestBudget,
  { mediaType = "json", mayBeGzip = true }: BodyForm = {},
): Promise<RequestBody> {
  checkMediaType(request.headers["content-type"], mediaType);
  const encoding = contentEncoding(request.headers["content-encoding"], mayBeGzip);
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > maximumBytes) throw tooLarge(maximumBytes);
  const reservation = budget.reserve(declared);
  try {
    const chunks = await gather(request, maximumBytes, reservation);
    const sent = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    const bytes = encoding === "gzip" ? await unpack(sent, maximumBytes, reservation) : sent;
    return {
      bytes,
      [Symbol.dispose]() {
        reservation[Symbol.dispose]();
        // Bodies are most of what the thread allocates; collecting them cost it a third of its time.
        release(...chunks, sent, bytes);
      },
    };
  } catch (error) {
    reservation[Symbol.dispose]();
    throw error;
  }
}

const mediaTypes = {
  json: {
    accepted: /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?;?$/i,
    sentence: errors.unsupported_media_type.sentence,
  },
  form: {
    accepted:
      /^application\/x-www-form-urlencoded[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?;?$/i,
    sentence: "The body must be application/x-www-form-urlencoded in UTF-8.",
  },
} as const satisfies Record<MediaType, { accepted: RegExp; sentence: string }>;

/** The media type alone or with charset=utf-8 (M9). */
function checkMediaType(header: string | undefined, mediaType: MediaType): void {
  const { accepted, sentence } = mediaTypes[mediaType];
  if (header === undefined || header.length > 200 || !accepted.test(header.trim())) {
    throw new ServiceError("unsupported_media_type", sentence);
  }
}

function contentEncoding(header: string | undefined, mayBeGzip: boolean): "identity" | "gzip" {
  const encoding = (header ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || (encoding === "gzip" && mayBeGzip)) return encoding;
  throw new ServiceError("unsupported_media_type", errors.unsupported_media_type.sentence);
}

function gather(
  request: IncomingMessage,
  maximumBytes: number,
  reservation: Reservation,
): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    const onData = (chunk: Buffer) => {
      sizeBytes += chunk.length;
      try {
        if (sizeBytes > maximumBytes) throw tooLarge(maximumBytes);
        reservation.growTo(sizeBytes);
        chunks.push(chunk);
      } catch (error) {
        finish(() => reject(error as Error));
      }
    };
    const onEnd = () => finish(() => resolve(chunks));
    const onGone = () => finish(() => reject(new ClientGone("the request ended early")));
    const finish = (settle: () => void) => {
      request.off("data", onData).off("end", onEnd).off("close", onGone);
      // What still comes is thrown away; see closeAfterReply for how long. Errors then mean
      // nothing.
      request.resume();
      settle();
    };
    request.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
  });
}

/** Unpacks with the limit on what comes out: 200 KiB of gzip can be 200 MiB of zeros (T52). */
async function unpack(
  packed: Buffer,
  maximumBytes: number,
  reservation: Reservation,
): Promise<Buffer> {
  const gunzip = createGunzip();
  gunzip.end(packed);
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > maximumBytes) throw tooLarge(maximumBytes);
      reservation.growTo(packed.length + sizeBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError(
      "malformed_json",
      "The body is not what content-encoding: gzip promises.",
    );
  }
  return Buffer.concat(chunks);
}

function tooLarge(maximumBytes: number): ServiceError {
  return new ServiceError(
    "payload_too_large",
    `The body is larger than ${maximumBytes} bytes; nothing was executed.`,
  );
}
