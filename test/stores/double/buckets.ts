import { byBytes, StoredBucket, type ConfigurationName } from "./contents.ts";
import { bodyText, bucketOf, isoTime, pageSize, type Exchange, type Reply } from "./exchange.ts";
import { S3Error } from "./s3-error.ts";
import { childText, listedName, printXml, readXml } from "./xml.ts";

export async function createBucket(exchange: Exchange): Promise<Reply> {
  const { store, bucket, account } = exchange;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) throw new S3Error("InvalidBucketName");
  checkLocation(await bodyText(exchange), store.region);
  const there = store.buckets.get(bucket);
  if (there !== undefined)
    throw new S3Error(there.owner === account ? "BucketAlreadyOwnedByYou" : "BucketAlreadyExists");
  store.buckets.set(bucket, new StoredBucket(account));
  return { status: 200, headers: { location: `/${bucket}` } };
}

/** us-east-1 is the one region that must not be named, and every other must be. */
function checkLocation(text: string, region: string): void {
  const named = text === "" ? undefined : childText(readXml(text), "LocationConstraint");
  if (region === "us-east-1" && named === undefined) return;
  if (region === "us-east-1") throw new S3Error("InvalidLocationConstraint");
  if (named !== region) throw new S3Error("IllegalLocationConstraintException");
}

export function headBucket(exchange: Exchange): Reply {
  bucketOf(exchange);
  return { status: 200, headers: { "x-amz-bucket-region": exchange.store.region } };
}

export function deleteBucket(exchange: Exchange): Reply {
  const { objects, uploads } = bucketOf(exchange);
  if (objects.size > 0 || uploads.size > 0) throw new S3Error("BucketNotEmpty");
  exchange.store.buckets.delete(exchange.bucket);
  return { status: 204 };
}

export function getBucketLocation(exchange: Exchange): Reply {
  bucketOf(exchange);
  const { region } = exchange.store;
  const document = printXml("LocationConstraint", {});
  // The one document of S3 whose root holds the value itself.
  return { status: 200, body: document.replace("></", `>${region}</`) };
}

export function listObjects(exchange: Exchange): Reply {
  const { query } = exchange;
  if (query.get("list-type") !== "2") throw new S3Error("NotImplemented", "ListObjects version 1");
  const bucket = bucketOf(exchange);
  const prefix = query.get("prefix") ?? "";
  const token = query.get("continuation-token");
  const after = token === undefined ? (query.get("start-after") ?? "") : readToken(token);
  const keys = [...bucket.objects.keys()]
    .filter((key) => key.startsWith(prefix) && (after === "" || byBytes(key, after) > 0))
    .sort(byBytes);
  const page = pageOf(keys, query.get("delimiter"), prefix, after, pageSize(exchange, "max-keys"));
  const encodingType = query.get("encoding-type");
  const name = (key: string) => listedName(key, encodingType);
  return {
    status: 200,
    body: printXml("ListBucketResult", {
      Name: exchange.bucket,
      Prefix: name(prefix),
      MaxKeys: pageSize(exchange, "max-keys"),
      KeyCount: page.names.length,
      IsTruncated: page.next !== undefined,
      EncodingType: encodingType,
      NextContinuationToken: page.next === undefined ? undefined : writeToken(page.next),
      Contents: page.names.flatMap(({ key, isPrefix }) => {
        const object = isPrefix ? undefined : bucket.objects.get(key);
        if (object === undefined) return [];
        const { etag, sizeBytes, modifiedMs } = object;
        const LastModified = isoTime(modifiedMs);
        return [{ Key: name(key), LastModified, ETag: `"${etag}"`, Size: sizeBytes }];
      }),
      CommonPrefixes: page.names
        .filter(({ isPrefix }) => isPrefix)
        .map(({ key }) => ({ Prefix: name(key) })),
    }),
  };
}

interface Page {
  names: { key: string; isPrefix: boolean }[];
  /** The last key that this page covers, when there are more. */
  next: string | undefined;
}

/** Keys that share what stands before the next delimiter are one entry, on one page only. */
function pageOf(
  keys: string[],
  delimiter: string | undefined,
  prefix: string,
  after: string,
  size: number,
): Page {
  const names: Page["names"] = [];
  let covered: string | undefined;
  for (const key of keys) {
    const end = delimiter ? key.indexOf(delimiter, prefix.length) : -1;
    const common = end < 0 ? undefined : key.slice(0, end + (delimiter ?? "").length);
    if (common !== undefined && (common === names.at(-1)?.key || after.startsWith(common))) {
      covered = key;
      continue;
    }
    if (names.length === size) return { names, next: size === 0 ? undefined : covered };
    names.push({ key: common ?? key, isPrefix: common !== undefined });
    covered = key;
  }
  return { names, next: undefined };
}

function writeToken(key: string): string {
  return `1/${Buffer.from(key).toString("base64")}=`;
}

function readToken(token: string): string {
  const [, encoded] = /^1\/(.+)=$/.exec(token) ?? [];
  if (encoded === undefined) throw new S3Error("InvalidArgument", "continuation-token");
  return Buffer.from(encoded, "base64").toString("utf8");
}

export async function putConfiguration(exchange: Exchange): Promise<Reply> {
  const bucket = bucketOf(exchange);
  const which = configurationOf(exchange);
  const text = await bodyText(exchange);
  if (readXml(text).name !== documents[which].root) throw new S3Error("MalformedXML");
  bucket.configurations.set(which, text);
  return { status: 200 };
}

export function getConfiguration(exchange: Exchange): Reply {
  const which = configurationOf(exchange);
  const text = bucketOf(exchange).configurations.get(which);
  if (text !== undefined) return { status: 200, body: text };
  throw new S3Error(documents[which].missing);
}

const documents = {
  cors: { root: "CORSConfiguration", missing: "NoSuchCORSConfiguration" },
  lifecycle: { root: "LifecycleConfiguration", missing: "NoSuchLifecycleConfiguration" },
  publicAccessBlock: {
    root: "PublicAccessBlockConfiguration",
    missing: "NoSuchPublicAccessBlockConfiguration",
  },
} as const;

/** Swift calls a lifecycle document malformed and has never heard of CORS. */
function configurationOf({ operation, store }: Exchange): ConfigurationName {
  if (operation.includes("PublicAccessBlock")) return "publicAccessBlock";
  const which = operation.includes("Cors") ? "cors" : "lifecycle";
  if (store.dialect[which]) return which;
  throw new S3Error(which === "cors" ? "NotImplemented" : "MalformedXML");
}
