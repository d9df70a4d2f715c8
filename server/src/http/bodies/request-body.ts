import type { IncomingMessage } from "node:http";
import { createGunzip } from "node:zlib";
import { errors } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import { freeMemory } from "../../ground/free-memory.ts";
import type { Reservation } from "../limits/request-budget.ts";
import { type BodyAllowance, gatherBody, reserveBody } from "./whole-body.ts";

export interface RequestBody extends Disposable {
  readonly bytes: Buffer;
  /** Holder of the budget that the body is counted against. */
  readonly holder: string;
}

/** Media type of a body; each endpoint declares the one that it accepts. `bytes`: any. */
type MediaType = "json" | "form" | "scim" | "bytes";

export interface BodyForm {
  mediaType?: MediaType;
  /**
   * Whether gzip is accepted; not where clients need no credential: 32 KB of gzip unpack to 32 MiB.
   */
  mayBeGzip?: boolean;
}

/**
 * Gathers a body: media type and encoding (415), declared and real size, compressed and unpacked
 * (413), bytes of all requests together (503), progress (408). The body counts against the budget
 * until it is disposed, which the caller does when the reply is made.
 */
export async function readRequestBody(
  request: IncomingMessage,
  maximumBytes: number,
  allowance: BodyAllowance,
  { mediaType = "json", mayBeGzip = true }: BodyForm = {},
): Promise<RequestBody> {
  checkMediaType(request.headers["content-type"], mediaType);
  const encoding = contentEncoding(request.headers["content-encoding"], mayBeGzip, mediaType);
  const refusal = () => tooLarge(maximumBytes);
  const reservation = reserveBody(request, allowance, maximumBytes, refusal);
  try {
    const chunks = await gatherBody(request, reservation, allowance, maximumBytes, refusal);
    const sent = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    const bytes = encoding === "gzip" ? await unpack(sent, maximumBytes, reservation) : sent;
    return {
      bytes,
      holder: allowance.holder,
      [Symbol.dispose]() {
        reservation[Symbol.dispose]();
        // Bodies are most of the thread's allocations; collecting them took a third of its time.
        freeMemory(...chunks, sent, bytes);
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
  scim: {
    accepted: /^application\/(?:scim\+)?json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?;?$/i,
    sentence: "The body must be application/scim+json or application/json, in UTF-8.",
  },
  form: {
    accepted:
      /^application\/x-www-form-urlencoded[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?;?$/i,
    sentence: "The body must be application/x-www-form-urlencoded in UTF-8.",
  },
  bytes: {
    accepted: undefined,
    sentence: "The body must be plain, or with content-encoding gzip.",
  },
} as const satisfies Record<MediaType, { accepted: RegExp | undefined; sentence: string }>;

/** Checks the media type, alone or with charset=utf-8 (M9). */
function checkMediaType(header: string | undefined, mediaType: MediaType): void {
  const { accepted, sentence } = mediaTypes[mediaType];
  if (accepted === undefined) return;
  if (header === undefined || header.length > 200 || !accepted.test(header.trim())) {
    throw new ServiceError("unsupported_media_type", sentence);
  }
}

function contentEncoding(
  header: string | undefined,
  mayBeGzip: boolean,
  mediaType: MediaType,
): "identity" | "gzip" {
  const encoding = (header ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || (encoding === "gzip" && mayBeGzip)) return encoding;
  const { sentence } = mediaType === "bytes" ? mediaTypes.bytes : errors.unsupported_media_type;
  throw new ServiceError("unsupported_media_type", sentence);
}

/**
 * Unpacked bytes allowed regardless of the compressed size; the largest batch of points has 4 MiB
 * and may compress very well.
 */
const unpackedBytesFree = 8_388_608;
/**
 * Ratio of unpacked to sent bytes allowed beyond that: bodies of clients shrink to 1/6, repetitive
 * ones to 1/20.
 */
const unpackedRatioMax = 20;

/** Unpacks with limits on what comes out: 200 KiB of gzip can be 200 MiB of zeros (T52). */
async function unpack(
  packed: Buffer,
  maximumBytes: number,
  reservation: Reservation,
): Promise<Buffer> {
  const ratioBytesMax = Math.max(unpackedBytesFree, packed.length * unpackedRatioMax);
  const gunzip = createGunzip({ chunkSize: 65_536 });
  gunzip.end(packed);
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > maximumBytes) throw tooLarge(maximumBytes);
      if (sizeBytes > ratioBytesMax) throw tooDense();
      reservation.growTo(packed.length + sizeBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError(
      "malformed_json",
      "The body is not valid gzip, which content-encoding announces.",
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

function tooDense(): ServiceError {
  return new ServiceError(
    "payload_too_large",
    `The body unpacks to more than ${unpackedRatioMax} times its size; send it in smaller requests, or not compressed. Nothing was executed.`,
  );
}
