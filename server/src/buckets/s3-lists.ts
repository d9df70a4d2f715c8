import {
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
} from "@aws-sdk/client-s3";
import { StoreError, type StoredPart, type StoreUpload } from "./bucket.ts";
import type { S3ControlClient } from "./s3-client.ts";

export interface NamedBucket {
  Bucket: string;
  ExpectedBucketOwner?: string;
}

interface FoundObject {
  key: string;
  sizeBytes: number;
  modifiedMs: number;
}

export async function* objectPages(
  bucket: NamedBucket,
  prefix: string,
  client: S3ControlClient,
): AsyncIterable<FoundObject[]> {
  let token: string | undefined;
  do {
    const command = new ListObjectsV2Command({
      ...bucket,
      Prefix: prefix,
      // Keys may hold characters that XML cannot carry.
      EncodingType: "url",
      ContinuationToken: token,
    });
    const page = await client.send("ListObjectsV2", command);
    const isEncoded = page.EncodingType === "url";
    yield (page.Contents ?? []).map(({ Key = "", Size = 0, LastModified }) => ({
      key: decoded(Key, isEncoded),
      sizeBytes: Size,
      modifiedMs: LastModified?.getTime() ?? 0,
    }));
    token = nextOf(page.IsTruncated, page.NextContinuationToken, token);
  } while (token !== undefined);
}

export async function* partPages(
  bucket: NamedBucket,
  upload: StoreUpload,
  client: S3ControlClient,
): AsyncIterable<StoredPart[]> {
  let marker: string | undefined;
  do {
    const command = new ListPartsCommand({
      ...bucket,
      Key: upload.key,
      UploadId: upload.storeUpload,
      PartNumberMarker: marker,
    });
    const page = await client.send("ListParts", command);
    yield (page.Parts ?? []).map(({ PartNumber = 0, Size = 0, ETag = "" }) => ({
      number: PartNumber,
      sizeBytes: Size,
      etag: ETag.replaceAll('"', ""),
    }));
    marker = nextOf(page.IsTruncated, page.NextPartNumberMarker, marker);
  } while (marker !== undefined);
}

export async function* uploadPages(
  bucket: NamedBucket,
  prefix: string,
  client: S3ControlClient,
): AsyncIterable<(StoreUpload & { startedMs: number })[]> {
  let marker: { KeyMarker: string; UploadIdMarker?: string } | undefined;
  do {
    // Not `EncodingType: "url"`: Ceph 16 encodes then and does not say so.
    const command = new ListMultipartUploadsCommand({
      ...bucket,
      Prefix: prefix,
      ...marker,
    });
    const page = await client.send("ListMultipartUploads", command);
    const isEncoded = page.EncodingType === "url";
    yield (page.Uploads ?? []).map(({ Key = "", UploadId = "", Initiated }) => ({
      key: decoded(Key, isEncoded),
      storeUpload: UploadId,
      startedMs: Initiated?.getTime() ?? 0,
    }));
    const { NextKeyMarker, NextUploadIdMarker } = page;
    const before = marker && JSON.stringify(marker);
    marker =
      page.IsTruncated === true && NextKeyMarker !== undefined
        ? {
            KeyMarker: decoded(NextKeyMarker, isEncoded),
            ...(NextUploadIdMarker !== undefined && { UploadIdMarker: NextUploadIdMarker }),
          }
        : undefined;
    nextOf(page.IsTruncated, marker && JSON.stringify(marker), before);
  } while (marker !== undefined);
}

/** A store that says there is more must say where, and somewhere new, or the list would never end. */
function nextOf(
  isTruncated: boolean | undefined,
  next: string | undefined,
  before: string | undefined,
): string | undefined {
  if (isTruncated !== true) return undefined;
  if (next === undefined || next === "" || next === before)
    throw new StoreError("endless list", false, "The store's list does not go on.");
  return next;
}

/** As `encoding-type=url` has it: a form's encoding, where a space may be a plus. */
function decoded(text: string, isEncoded: boolean): string {
  return isEncoded ? decodeURIComponent(text.replaceAll("+", " ")) : text;
}
