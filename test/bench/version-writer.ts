import type { OpenArtifactReply, UploadReply } from "@lossless/protocol";
import { call } from "../http.ts";
import { Connection } from "./connection.ts";

export interface VersionLatency {
  beginMs: number;
  commitMs: number;
}

const place = { cloud: "bench", region: "bench", source: "bench" };

/** One writer of an artifact, call by call, as fast as the service answers. */
export class VersionWriter implements Disposable {
  readonly #artifact: string;
  readonly #epoch: number;
  readonly #post: Post;

  private constructor(artifact: string, epoch: number, post: Post) {
    this.#artifact = artifact;
    this.#epoch = epoch;
    this.#post = post;
  }

  static async open(baseUrl: string, apiKey: string, artifact: string): Promise<VersionWriter> {
    const post = new Post(baseUrl, apiKey);
    const path = `artifacts/open?artifact=${artifact}`;
    const { epoch } = await post.json<OpenArtifactReply>(path, { mode: "new", place });
    return new VersionWriter(artifact, epoch, post);
  }

  begin(version: string, files: { name: string; size: number }[]): Promise<UploadReply> {
    const path = `versions/begin?artifact=${this.#artifact}&version=${version}`;
    return this.#post.json(path, { epoch: this.#epoch, place, files, meta: {} });
  }

  resign(upload: string): Promise<UploadReply> {
    const path = `versions/resign?artifact=${this.#artifact}&upload=${upload}`;
    return this.#post.json(path, { epoch: this.#epoch });
  }

  /** A version of one file of a few bytes. Sending the bytes is not counted. */
  async write(version: string): Promise<VersionLatency> {
    const file = { name: "file", size: 5 };
    const startedMs = performance.now();
    const { upload, files } = await this.begin(version, [file]);
    const begunMs = performance.now();
    const sent = [{ name: file.name, etags: [await putPart(files[0].parts[0], "bytes")] }];
    const path = `versions/commit?artifact=${this.#artifact}&upload=${upload}`;
    const sentMs = performance.now();
    await this.#post.json(path, { epoch: this.#epoch, files: sent });
    return { beginMs: begunMs - startedMs, commitMs: performance.now() - sentMs };
  }

  [Symbol.dispose](): void {
    this.#post[Symbol.dispose]();
  }
}

async function putPart(
  { url, headers }: { url: string; headers: Record<string, string> },
  body: string,
): Promise<string> {
  const { origin, pathname, search } = new URL(url);
  const reply = await call(origin, { method: "PUT", path: pathname + search, body, headers });
  if (reply.status !== 200) throw new Error(`a part was answered with ${reply.status}`);
  return reply.headers.etag!;
}

/** POST requests with a key on one connection. */
class Post implements Disposable {
  readonly #connection: Connection;
  readonly #head: string;

  constructor(baseUrl: string, apiKey: string) {
    this.#connection = new Connection(baseUrl);
    this.#head =
      `Host: ${new URL(baseUrl).host}\r\nAuthorization: Bearer ${apiKey}\r\n` +
      `Content-Type: application/json\r\n`;
  }

  async json<Body>(path: string, value: unknown): Promise<Body> {
    const body = JSON.stringify(value);
    const reply = await this.#connection.send(
      Buffer.from(
        `POST /api/v1/${path} HTTP/1.1\r\n${this.#head}Content-Length: ${body.length}\r\n\r\n${body}`,
      ),
    );
    const bodyAt = reply.indexOf("\r\n\r\n") + 4;
    const [, status] = /^HTTP\/1.1 (\d+)/.exec(reply.toString("latin1", 0, 20)) ?? [];
    if (status !== "200" && status !== "201") throw new Error(reply.toString("utf8", 0, 1_000));
    return JSON.parse(reply.toString("utf8", bodyAt)) as Body;
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }
}
