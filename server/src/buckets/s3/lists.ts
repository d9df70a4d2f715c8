import { StoreError, type StoredPart, type StoreUpload, type ListedObject } from "../bucket.ts";
import type { S3ControlClient, S3Sdk } from "./client.ts";
import { storeErrorOf } from "./failure.ts";
import { UnreadableReply } from "./replies.ts";
import { ReplyTooLarge } from "./transport.ts";
import { textAt, type XmlElement } from "../store-xml.ts";

export interface NamedBucket {
  Bucket: string;
  ExpectedBucketOwner?: string;
}

export async function* objectPages(
  bucket: NamedBucket,
  prefix: string,
  client: S3ControlClient,
): AsyncIterable<ListedObject[]> {
  const operation = "ListObjectsV2";
  let token: string | undefined;
  do {
    const command = (sdk: S3Sdk) =>
      new sdk.ListObjectsV2Command({
        ...bucket,
        Prefix: prefix,
        // Keys may hold characters that XML cannot carry.
        EncodingType: "url",
        ContinuationToken: token,
      });
    const page = await client.list(operation, command, "ListBucketResult");
    const isEncoded = textAt(page, "EncodingType") === "url";
    yield entriesOf(operation, page, "Contents").map((entry) => ({
      key: decoded(operation, textAt(entry, "Key") ?? "", isEncoded),
      sizeBytes: numberAt(operation, entry, "Size"),
      modifiedMs: momentAt(operation, entry, "LastModified"),
    }));
    token = nextOf(isTruncated(page), textAt(page, "NextContinuationToken"), token);
  } while (token !== undefined);
}

export async function* partPages(
  bucket: NamedBucket,
  upload: StoreUpload,
  client: S3ControlClient,
): AsyncIterable<StoredPart[]> {
  const operation = "ListParts";
  let marker: string | undefined;
  do {
    const command = (sdk: S3Sdk) =>
      new sdk.ListPartsCommand({
        ...bucket,
        Key: upload.key,
        UploadId: upload.storeUpload,
        PartNumberMarker: marker,
      });
    const page = await client.list(operation, command, "ListPartsResult");
    yield entriesOf(operation, page, "Part").map((entry) => ({
      number: numberAt(operation, entry, "PartNumber"),
      sizeBytes: numberAt(operation, entry, "Size"),
      etag: (textAt(entry, "ETag") ?? "").replaceAll('"', ""),
    }));
    marker = nextOf(isTruncated(page), textAt(page, "NextPartNumberMarker"), marker);
  } while (marker !== undefined);
}

export async function* uploadPages(
  bucket: NamedBucket,
  prefix: string,
  client: S3ControlClient,
): AsyncIterable<(StoreUpload & { startedMs: number })[]> {
  const operation = "ListMultipartUploads";
  let marker: { KeyMarker: string; UploadIdMarker?: string } | undefined;
  do {
    // Not `EncodingType: "url"`: Ceph 16 encodes then and does not say so.
    const command = (sdk: S3Sdk) =>
      new sdk.ListMultipartUploadsCommand({ ...bucket, Prefix: prefix, ...marker });
    const page = await client.list(operation, command, "ListMultipartUploadsResult");
    const isEncoded = textAt(page, "EncodingType") === "url";
    yield entriesOf(operation, page, "Upload").map((entry) => ({
      key: decoded(operation, textAt(entry, "Key") ?? "", isEncoded),
      storeUpload: textAt(entry, "UploadId") ?? "",
      startedMs: momentAt(operation, entry, "Initiated"),
    }));
    const nextKey = textAt(page, "NextKeyMarker");
    const nextUpload = textAt(page, "NextUploadIdMarker");
    const before = marker && JSON.stringify(marker);
    marker =
      isTruncated(page) && nextKey !== undefined
        ? {
            KeyMarker: decoded(operation, nextKey, isEncoded),
            ...(nextUpload !== undefined && { UploadIdMarker: nextUpload }),
          }
        : undefined;
    nextOf(isTruncated(page), marker && JSON.stringify(marker), before);
  } while (marker !== undefined);
}

/** Maximal entries of a page; S3 sends 1,000. */
const entriesMax = 4_000;

function entriesOf(operation: string, page: XmlElement, name: string): XmlElement[] {
  const entries = page.children.filter((child) => child.name === name);
  if (entries.length <= entriesMax) return entries;
  throw storeErrorOf(new ReplyTooLarge("Too many entries on one page."), operation, false);
}

/** Returns a number; 0 where the store sends none. */
function numberAt(operation: string, entry: XmlElement, name: string): number {
  const text = textAt(entry, name) ?? "0";
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw storeErrorOf(new UnreadableReply(`A ${name} that is not a number.`), operation, false);
}

/** Returns unix milliseconds; 0 where the store sends no time. */
function momentAt(operation: string, entry: XmlElement, name: string): number {
  const text = textAt(entry, name);
  const ms = text === undefined ? 0 : Date.parse(text);
  if (!Number.isNaN(ms)) return ms;
  throw storeErrorOf(new UnreadableReply(`A ${name} that is not a time.`), operation, false);
}

function isTruncated(page: XmlElement): boolean {
  return textAt(page, "IsTruncated") === "true";
}

/**
 * Returns the marker of the next page. A store that announces more must send a new one, or the list
 * would never end.
 */
function nextOf(
  hasMore: boolean,
  next: string | undefined,
  before: string | undefined,
): string | undefined {
  if (!hasMore) return undefined;
  if (next === undefined || next === "" || next === before)
    throw new StoreError("endless list", false, "The store's list does not advance.");
  return next;
}

/** Decodes `encoding-type=url`: a form's encoding, where a space may be a plus. */
function decoded(operation: string, text: string, isEncoded: boolean): string {
  if (!isEncoded) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw storeErrorOf(new UnreadableReply("A key in no encoding."), operation, false);
  }
}
