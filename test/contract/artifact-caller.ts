import assert from "node:assert/strict";
import type {
  ArtifactsPage,
  OpenArtifactReply,
  UploadReply,
  VersionRecord,
  VersionsPage,
} from "@lossless/protocol";
import { call, type HttpReply, type HttpRequest, ok, parseObject } from "../http.ts";
import { observed, type Target } from "./callers.ts";

export type Query = Record<string, string | undefined>;
export type Files = Record<string, Buffer>;
export interface SentFile {
  name: string;
  etags: string[];
}

export const place = { cloud: "here", region: "there", source: "test" };

/** The artifacts of one organization, as a client sees them. */
export class ArtifactCaller {
  readonly target: Target;
  readonly credential: string;

  constructor(target: Target, credential: string) {
    this.target = target;
    this.credential = credential;
  }

  request(path: string, query: Query, more: Partial<HttpRequest> = {}): Promise<HttpReply> {
    const { target, credential } = this;
    return observed(target, { path: address(path, query), credential, ...more });
  }

  post(path: string, query: Query, body: unknown): Promise<HttpReply> {
    return this.request(path, query, { method: "POST", body });
  }

  async open(artifact: string, mode = "new", source?: string): Promise<OpenArtifactReply> {
    const reply = await this.post("artifacts/open", { artifact }, { mode, place, source });
    return ok<OpenArtifactReply>(reply, 200);
  }

  async begin(
    artifact: string,
    version: string,
    epoch: number,
    files: Files,
    meta: object = {},
  ): Promise<UploadReply> {
    const body = { epoch, place, files: sizes(files), meta };
    return ok<UploadReply>(await this.post("versions/begin", { artifact, version }, body), 201);
  }

  commit(artifact: string, upload: string, epoch: number, files: SentFile[]): Promise<HttpReply> {
    return this.post("versions/commit", { artifact, upload }, { epoch, files });
  }

  /** Begin, send, commit. */
  async write(artifact: string, version: string, epoch: number, files: Files): Promise<void> {
    const upload = await this.begin(artifact, version, epoch, files);
    const sent = await sendParts(upload, files);
    ok(await this.commit(artifact, upload.upload, epoch, sent), 200);
  }

  async read(artifact: string, version = "latest", more: Query = {}): Promise<VersionRecord> {
    return ok(await this.request("versions/read", { artifact, version, ...more }), 200);
  }

  async list(artifact: string, more: Query = {}): Promise<VersionsPage> {
    return ok(await this.request("versions/list", { artifact, ...more }), 200);
  }

  async artifacts(query: Query = {}): Promise<ArtifactsPage> {
    return ok(await this.request("artifacts/list", query), 200);
  }
}

export function sizes(files: Files): { name: string; size: number }[] {
  return Object.entries(files).map(([name, { length }]) => ({ name, size: length }));
}

export function address(path: string, query: Query): string {
  const words = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`],
  );
  return `/api/v1/${path}${words.length === 0 ? "" : `?${words.join("&")}`}`;
}

/** Sends every part, as the reply of begin says; gives what commit takes. */
export function sendParts(upload: UploadReply, files: Files): Promise<SentFile[]> {
  return Promise.all(
    upload.files.map(async ({ name, partSize, parts }) => {
      const etags: string[] = [];
      for (const [at, part] of parts.entries()) {
        const body = files[name].subarray(at * partSize, (at + 1) * partSize);
        const reply = await sendPart(part, body);
        assert.equal(reply.status, 200, reply.text);
        etags.push(String(reply.headers.etag));
      }
      return { name, etags };
    }),
  );
}

export function sendPart(
  { url, headers }: { url: string; headers: Record<string, string> },
  body: Uint8Array,
): Promise<HttpReply> {
  const { origin, pathname, search } = new URL(url);
  return call(origin, { method: "PUT", path: pathname + search, headers, body });
}

/** The bytes behind a signed address. */
export async function fetchBytes(url: string | null): Promise<Buffer> {
  assert.ok(url !== null, "the file is signed");
  const reply = await fetch(url);
  assert.equal(reply.status, 200);
  return Buffer.from(await reply.arrayBuffer());
}

/** A refusal in the form of v1; `superseded` alone has an epoch. */
export async function fails(
  reply: HttpReply | Promise<HttpReply>,
  status: number,
  code: string,
  epoch?: number,
): Promise<string> {
  const received = await reply;
  assert.equal(received.status, status, received.text.slice(0, 500));
  const { error, message, ...rest } = parseObject(received.text);
  assert.equal(error, code, received.text);
  assert.ok(typeof message === "string" && message.length > 0);
  assert.deepEqual(rest, epoch === undefined ? {} : { epoch });
  return message;
}
