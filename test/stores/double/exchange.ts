import type { Body } from "./body.ts";
import type { StoredBucket } from "./contents.ts";
import type { Dialect } from "./dialects.ts";
import type { Operation } from "./operation.ts";
import { S3Error } from "./s3-error.ts";

/** A request whose signature, payload hash and checksums were found right. */
export interface Exchange {
  operation: Operation;
  bucket: string;
  key: string;
  query: ReadonlyMap<string, string>;
  headers: ReadonlyMap<string, string>;
  body: Body;
  /** Account of whoever asks; undefined for the double's own user. */
  account: string | undefined;
  store: StoreState;
}

/** State shared by all requests of one store. */
export interface StoreState {
  buckets: Map<string, StoredBucket>;
  dialect: Dialect;
  region: string;
  minPartBytes: number;
  pageMost: number;
  nowMs(): number;
}

export interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: string | ReplyStream;
}

/** Bytes of an object, opened only when they are sent. */
export interface ReplyStream {
  sizeBytes: number;
  read(): AsyncIterable<Buffer>;
}

export type Handler = (exchange: Exchange) => Reply | Promise<Reply>;

export function bucketOf({ store, bucket }: Exchange): StoredBucket {
  const found = store.buckets.get(bucket);
  if (found === undefined) throw new S3Error("NoSuchBucket");
  return found;
}

export async function bodyText({ body }: Exchange): Promise<string> {
  return Buffer.concat(await Array.fromAsync(body.read(0, body.sizeBytes))).toString("utf8");
}

/** A whole number of the query, with the store's default and upper limit of a page. */
export function pageSize({ query, store }: Exchange, name: string): number {
  const most = store.pageMost;
  return Math.min(most, wholeNumber(query.get(name) ?? String(most), name));
}

export function wholeNumber(text: string, name: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new S3Error("InvalidArgument", `${name} is no whole number.`);
  return Number(text);
}

/** Headers that are stored with an object and returned with it. */
export function storedHeaders({ headers }: Exchange): Record<string, string> {
  const kept = [...headers].filter(([name]) => /^(content-type$|x-amz-meta-)/.test(name));
  return { "content-type": "binary/octet-stream", ...Object.fromEntries(kept) };
}

export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
