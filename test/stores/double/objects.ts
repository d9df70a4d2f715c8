import { StoredObject } from "./contents.ts";
import { bodyText, bucketOf, storedHeaders, type Exchange, type Reply } from "./exchange.ts";
import { S3Error } from "./s3-error.ts";
import { childText, printXml, readXml } from "./xml.ts";

const maxDeletedKeys = 1_000;

export async function putObject(exchange: Exchange): Promise<Reply> {
  const { store, key, body, headers } = exchange;
  const bucket = bucketOf(exchange);
  if (headers.has("x-amz-copy-source")) throw new S3Error("NotImplemented", "CopyObject");
  refuseOverwrite(exchange, store.dialect.conditionalPut ? "obey" : "refuse");
  const object = new StoredObject(key, [body], body.md5, store.nowMs(), storedHeaders(exchange));
  await bucket.store(object);
  return { status: 200, headers: { etag: `"${object.etag}"` } };
}

/** `If-None-Match: *` on writes, as far as the dialect knows it. */
export function refuseOverwrite(exchange: Exchange, manner: "obey" | "refuse" | "ignore"): void {
  const condition = exchange.headers.get("if-none-match");
  if (exchange.headers.has("if-match")) throw new S3Error("NotImplemented", "If-Match on a write");
  if (condition === undefined || manner === "ignore") return;
  if (condition !== "*" || manner === "refuse") throw new S3Error("NotImplemented");
  if (bucketOf(exchange).objects.has(exchange.key)) throw new S3Error("PreconditionFailed");
}

export function getObject(exchange: Exchange): Reply {
  const object = objectOf(exchange);
  const headers = { ...describe(object), ...overridden(exchange) };
  const unchanged = conditionsOf(exchange, object);
  if (unchanged) return { status: 304, headers: { etag: `"${object.etag}"` } };
  const range = rangeOf(exchange.headers.get("range"), object.sizeBytes);
  if (range === undefined) return { status: 200, headers, body: slice(object) };
  const [start, end] = range;
  return {
    status: 206,
    headers: { ...headers, "content-range": `bytes ${start}-${end - 1}/${object.sizeBytes}` },
    body: slice(object, start, end),
  };
}

/** As GetObject; the server leaves the body away. */
export function headObject(exchange: Exchange): Reply {
  return getObject(exchange);
}

export async function deleteObject(exchange: Exchange): Promise<Reply> {
  await bucketOf(exchange).remove(exchange.key);
  return { status: 204 };
}

export async function deleteObjects(exchange: Exchange): Promise<Reply> {
  const bucket = bucketOf(exchange);
  const { headers } = exchange;
  if (![...headers.keys()].some((name) => /^(content-md5$|x-amz-checksum-)/.test(name)))
    throw new S3Error("InvalidRequest", "Missing required header: Content-MD5");
  const document = readXml(await bodyText(exchange));
  const isQuiet = childText(document, "Quiet") === "true";
  const keys = document.children
    .filter(({ name }) => name === "Object")
    .map((object) => childText(object, "Key") ?? "");
  if (document.name !== "Delete" || keys.length === 0 || keys.length > maxDeletedKeys)
    throw new S3Error("MalformedXML");
  if (keys.includes("")) throw new S3Error("MalformedXML");
  for (const key of keys) await bucket.remove(key);
  const deleted = isQuiet ? [] : keys.map((key) => ({ Key: key }));
  return { status: 200, body: printXml("DeleteResult", { Deleted: deleted }) };
}

function objectOf(exchange: Exchange): StoredObject {
  const object = bucketOf(exchange).objects.get(exchange.key);
  if (object === undefined) throw new S3Error("NoSuchKey");
  return object;
}

function describe(object: StoredObject): Record<string, string> {
  return {
    ...object.headers,
    etag: `"${object.etag}"`,
    "accept-ranges": "bytes",
    "last-modified": new Date(object.modifiedMs).toUTCString(),
  };
}

function overridden({ query }: Exchange): Record<string, string> {
  const named = [...query].filter(([name]) => name.startsWith("response-"));
  return Object.fromEntries(named.map(([name, value]) => [name.slice("response-".length), value]));
}

function slice(object: StoredObject, start = 0, end = object.sizeBytes) {
  return { sizeBytes: end - start, read: () => object.read(start, end) };
}

/** True when the client has it already. */
function conditionsOf({ headers }: Exchange, object: StoredObject): boolean {
  const wanted = headers.get("if-match");
  const known = headers.get("if-none-match");
  if (wanted !== undefined && !names(wanted, object.etag)) throw new S3Error("PreconditionFailed");
  return known !== undefined && names(known, object.etag);
}

function names(condition: string, etag: string): boolean {
  const tags = condition.split(",").map((tag) => tag.trim().replaceAll('"', ""));
  return tags.includes("*") || tags.includes(etag);
}

/** First byte and the one behind the last; undefined: the whole object, for several ranges, too. */
function rangeOf(header: string | undefined, sizeBytes: number): [number, number] | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined;
  const start = first === "" ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = first === "" || last === "" ? sizeBytes : Math.min(sizeBytes, Number(last) + 1);
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  if (end <= start) throw new S3Error("InvalidRange");
  return [start, end];
}
