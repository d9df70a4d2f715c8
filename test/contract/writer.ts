import type { OpenArtifactReply, Place, UploadReply } from "@lossless/protocol";
import { type HttpReply, ok } from "../http.ts";
import {
  type ArtifactCaller,
  type Files,
  place,
  sendParts,
  type SentFile,
  sizes,
} from "./artifact-caller.ts";
import { uniqueName } from "./callers.ts";

export const oneFile: Files = { "model.bin": Buffer.from("weights") };

/** One writer of one artifact, with its epoch. What a test wants to see fail gives the reply. */
export class Writer {
  readonly caller: ArtifactCaller;
  readonly artifact: string;
  readonly epoch: number;

  constructor(caller: ArtifactCaller, artifact: string, epoch: number) {
    this.caller = caller;
    this.artifact = artifact;
    this.epoch = epoch;
  }

  /** Opens an artifact that nobody has, or takes one over. */
  static async open(
    caller: ArtifactCaller,
    artifact: string = uniqueName("artifact"),
    mode = "new",
  ): Promise<Writer> {
    return new Writer(caller, artifact, (await caller.open(artifact, mode)).epoch);
  }

  /** Whatever `more` names stands in the body instead. */
  tryBegin(version: string | undefined, more: object = {}): Promise<HttpReply> {
    const { artifact, epoch } = this;
    const body = { epoch, place, files: sizes(oneFile), meta: {}, ...more };
    return this.caller.post("versions/begin", { artifact, version }, body);
  }

  async begin(
    version: string,
    files: Files = oneFile,
    more: { meta?: object; place?: Place; exclude?: string[] } = {},
  ): Promise<UploadReply> {
    return ok(await this.tryBegin(version, { files: sizes(files), ...more }), 201);
  }

  resign(upload: string, more: object = {}): Promise<HttpReply> {
    const { artifact, epoch } = this;
    return this.caller.post("versions/resign", { artifact, upload }, { epoch, ...more });
  }

  commit(upload: string, files: SentFile[], more: object = {}): Promise<HttpReply> {
    const { artifact, epoch } = this;
    return this.caller.post("versions/commit", { artifact, upload }, { epoch, files, ...more });
  }

  /** Begin and send, ready to be committed. */
  async sent(version: string, files: Files = oneFile): Promise<{ id: string; sent: SentFile[] }> {
    const upload = await this.begin(version, files);
    return { id: upload.upload, sent: await sendParts(upload, files) };
  }

  async write(version: string, files: Files = oneFile): Promise<void> {
    const { id, sent } = await this.sent(version, files);
    ok(await this.commit(id, sent), 200);
  }
}

export async function tryOpen(
  caller: ArtifactCaller,
  artifact: string | undefined,
  body: object,
): Promise<HttpReply> {
  return caller.post("artifacts/open", { artifact }, { place, ...body });
}

export async function opened(
  caller: ArtifactCaller,
  artifact: string,
  body: object,
): Promise<OpenArtifactReply> {
  return ok(await tryOpen(caller, artifact, body), 200);
}
