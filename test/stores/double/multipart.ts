import { createHash } from "node:crypto";
import { byBytes, StoredObject, type OpenUpload, type StoredPart } from "./contents.ts";
import {
  bodyText,
  bucketOf,
  isoTime,
  pageSize,
  storedHeaders,
  wholeNumber,
  type Exchange,
  type Reply,
} from "./exchange.ts";
import { refuseOverwrite } from "./objects.ts";
import { S3Error } from "./s3-error.ts";
import { childText, listedName, printXml, readXml } from "./xml.ts";

export function createMultipartUpload(exchange: Exchange): Reply {
  const { bucket, key, store } = exchange;
  const upload = bucketOf(exchange).openUpload(key, store.nowMs(), storedHeaders(exchange));
  const tree = { Bucket: bucket, Key: key, UploadId: upload.uploadId };
  return { status: 200, body: printXml("InitiateMultipartUploadResult", tree) };
}

export async function uploadPart(exchange: Exchange): Promise<Reply> {
  const { body, store, headers } = exchange;
  if (headers.has("x-amz-copy-source")) throw new S3Error("NotImplemented", "UploadPartCopy");
  const number = partNumber(exchange, exchange.query.get("partNumber") ?? "");
  const { parts } = uploadOf(exchange);
  const replaced = parts.get(number);
  parts.set(number, { body, modifiedMs: store.nowMs() });
  await replaced?.body.discard();
  return { status: 200, headers: { etag: `"${body.md5}"` } };
}

export function listParts(exchange: Exchange): Reply {
  const { bucket, key, query } = exchange;
  const upload = uploadOf(exchange);
  const after = wholeNumber(query.get("part-number-marker") ?? "0", "part-number-marker");
  const size = pageSize(exchange, "max-parts");
  const waiting = [...upload.parts].filter(([n]) => n > after).sort(([a], [b]) => a - b);
  const page = waiting.slice(0, size);
  return {
    status: 200,
    body: printXml("ListPartsResult", {
      Bucket: bucket,
      Key: key,
      UploadId: upload.uploadId,
      PartNumberMarker: after,
      NextPartNumberMarker: page.at(-1)?.[0] ?? after,
      MaxParts: size,
      IsTruncated: waiting.length > page.length,
      Part: page.map(([PartNumber, { body, modifiedMs }]) => ({
        PartNumber,
        LastModified: isoTime(modifiedMs),
        ETag: `"${body.md5}"`,
        Size: body.sizeBytes,
      })),
    }),
  };
}

export async function completeMultipartUpload(exchange: Exchange): Promise<Reply> {
  const { key, store, query } = exchange;
  const bucket = bucketOf(exchange);
  const uploadId = query.get("uploadId") ?? "";
  const listed = readPartList(await bodyText(exchange), exchange);
  const before = bucket.completed.get(uploadId);
  if (before?.key === key) return completedBefore(exchange, before.etag);
  const upload = bucket.upload(uploadId, key);
  const chosen = checkedParts(exchange, upload, listed);
  refuseOverwrite(exchange, store.dialect.conditionalComplete ? "obey" : "ignore");
  const etag = compositeTag(chosen);
  const bodies = chosen.map(({ body }) => body);
  bucket.uploads.delete(uploadId);
  bucket.completed.set(uploadId, { key, etag });
  await bucket.store(new StoredObject(key, bodies, etag, store.nowMs(), upload.headers));
  const dropped = [...upload.parts.values()].filter((part) => !chosen.includes(part));
  for (const { body } of dropped) await body.discard();
  return completed(exchange, etag);
}

/** The bucket may hold something else under the key by now, or nothing: only a HEAD tells. */
function completedBefore(exchange: Exchange, etag: string): Reply {
  const manner = exchange.store.dialect.secondComplete;
  if (manner === "success") return completed(exchange, etag);
  throw new S3Error(manner === "internal-error" ? "InternalError" : "NoSuchUpload");
}

function completed({ bucket, key }: Exchange, etag: string): Reply {
  const tree = { Location: `/${bucket}/${key}`, Bucket: bucket, Key: key, ETag: `"${etag}"` };
  return { status: 200, body: printXml("CompleteMultipartUploadResult", tree) };
}

interface ListedPart {
  number: number;
  etag: string;
}

function readPartList(text: string, exchange: Exchange): ListedPart[] {
  const document = readXml(text);
  const isWrong = document.children.some(({ name }) => name !== "Part");
  if (document.name !== "CompleteMultipartUpload" || isWrong || document.children.length === 0)
    throw new S3Error("MalformedXML");
  return document.children.map((part) => {
    const etag = childText(part, "ETag");
    const number = childText(part, "PartNumber");
    if (etag === undefined || number === undefined) throw new S3Error("MalformedXML");
    return { number: partNumber(exchange, number), etag: etag.replaceAll('"', "") };
  });
}

function checkedParts({ store }: Exchange, upload: OpenUpload, listed: ListedPart[]): StoredPart[] {
  if (listed.some(({ number }, index) => index > 0 && number <= (listed[index - 1]?.number ?? 0)))
    throw new S3Error("InvalidPartOrder");
  const parts = listed.map(({ number, etag }) => {
    const part = upload.parts.get(number);
    if (part?.body.md5 !== etag) throw new S3Error("InvalidPart", `Part ${number}`);
    return part;
  });
  if (!store.dialect.subsetOfParts && parts.length < upload.parts.size)
    throw new S3Error("InvalidPart", "Parts were uploaded that are not listed.");
  if (parts.slice(0, -1).some(({ body }) => body.sizeBytes < store.minPartBytes))
    throw new S3Error("EntityTooSmall");
  return parts;
}

function compositeTag(parts: StoredPart[]): string {
  const hash = createHash("md5");
  for (const { body } of parts) hash.update(body.md5, "hex");
  return `${hash.digest("hex")}-${parts.length}`;
}

export async function abortMultipartUpload(exchange: Exchange): Promise<Reply> {
  const upload = uploadOf(exchange);
  bucketOf(exchange).uploads.delete(upload.uploadId);
  for (const { body } of upload.parts.values()) await body.discard();
  return { status: 204 };
}

export function listMultipartUploads(exchange: Exchange): Reply {
  const { bucket, query } = exchange;
  const prefix = query.get("prefix") ?? "";
  const keyMarker = query.get("key-marker") ?? "";
  const idMarker = keyMarker === "" ? "" : (query.get("upload-id-marker") ?? "");
  const size = pageSize(exchange, "max-uploads");
  const waiting = [...bucketOf(exchange).uploads.values()]
    .filter(({ key }) => key.startsWith(prefix))
    .filter((upload) => isAfter(upload, keyMarker, idMarker))
    .sort((a, b) => byBytes(a.key, b.key) || byBytes(a.uploadId, b.uploadId));
  const page = waiting.slice(0, size);
  const isTruncated = waiting.length > page.length;
  const encodingType = query.get("encoding-type");
  const name = (key: string) => listedName(key, encodingType);
  return {
    status: 200,
    body: printXml("ListMultipartUploadsResult", {
      Bucket: bucket,
      Prefix: name(prefix),
      KeyMarker: name(keyMarker),
      UploadIdMarker: idMarker,
      NextKeyMarker: isTruncated ? name(page.at(-1)?.key ?? "") : undefined,
      NextUploadIdMarker: isTruncated ? page.at(-1)?.uploadId : undefined,
      MaxUploads: size,
      EncodingType: encodingType,
      IsTruncated: isTruncated,
      Upload: page.map(({ key, uploadId, initiatedMs }) => ({
        Key: name(key),
        UploadId: uploadId,
        Initiated: isoTime(initiatedMs),
      })),
    }),
  };
}

/** Without an id marker the whole marked key is behind us, else only its uploads up to that id. */
function isAfter(upload: OpenUpload, keyMarker: string, idMarker: string): boolean {
  if (keyMarker === "") return true;
  const order = byBytes(upload.key, keyMarker);
  return order > 0 || (order === 0 && idMarker !== "" && byBytes(upload.uploadId, idMarker) > 0);
}

function uploadOf(exchange: Exchange): OpenUpload {
  return bucketOf(exchange).upload(exchange.query.get("uploadId") ?? "", exchange.key);
}

function partNumber({ store }: Exchange, text: string): number {
  const most = store.dialect.maxPartNumber;
  const number = wholeNumber(text, "partNumber");
  if (number < 1 || number > most)
    throw new S3Error("InvalidArgument", `Part number must be between 1 and ${most}.`);
  return number;
}
