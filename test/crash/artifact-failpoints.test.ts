import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { UploadReply } from "@lossless/protocol";
import { ArtifactCaller, fetchBytes, ok, sendParts } from "../contract/artifact-caller.ts";
import type { Files, SentFile } from "../contract/artifact-caller.ts";
import { organizations, Service } from "../service.ts";

/** Between all steps of open, begin and commit; the service itself refuses a name that it does not know. */
const failpoints = [
  "open.beforeOpen",
  "open.afterOpen",
  "begin.beforeBegin",
  "begin.afterBegin",
  "begin.afterStartUpload:2",
  "begin.beforeStarted",
  "begin.afterStarted",
  "commit.beforeAccept",
  "commit.afterAccept",
  "commit.afterList",
  "commit.afterComplete:2",
  "commit.beforeManifest",
  "commit.afterManifest",
  "commit.afterCommit",
];

const files: Files = {
  a: Buffer.from("first"),
  "b/c": Buffer.alloc(100_000, "xyz"),
  d: Buffer.alloc(0),
};

/** The steps of one writer, each of which can be tried again. */
class Writer {
  readonly #artifact: string;
  #epoch = 0;
  #upload: UploadReply | undefined;
  #sent: SentFile[] = [];

  constructor(artifact: string) {
    this.#artifact = artifact;
  }

  async open(on: ArtifactCaller): Promise<void> {
    this.#epoch = (await on.open(this.#artifact)).epoch;
  }

  async begin(on: ArtifactCaller): Promise<void> {
    this.#upload = await on.begin(this.#artifact, "1", this.#epoch, files);
  }

  async send(): Promise<void> {
    this.#sent = await sendParts(this.#upload!, files);
  }

  async commit(on: ArtifactCaller): Promise<void> {
    const { upload } = this.#upload!;
    ok(await on.commit(this.#artifact, upload, this.#epoch, this.#sent), 200);
  }

  async requireVersion(on: ArtifactCaller): Promise<void> {
    const { versions } = await on.list(this.#artifact);
    assert.deepEqual(
      versions.map(({ version }) => version),
      ["1"],
    );
    const record = await on.read(this.#artifact, "latest", { urls: "1" });
    for (const { name, url } of record.files) {
      assert.ok(files[name]!.equals(await fetchBytes(url)), name);
    }
  }
}

for (const failpoint of failpoints) {
  test(`killed at ${failpoint}, the service lets the same request succeed after its start`, async () => {
    const directory = mkdtempSync(join(tmpdir(), "lossless-failpoint-"));
    try {
      const writer = new Writer("runs/killed");
      const step = failpoint.split(".", 1)[0];
      const environment = { LOSSLESS_TEST_FAILPOINT: `${failpoint}=kill` };
      const dying = await Service.start({ directory, environment });
      const before = new ArtifactCaller(target(dying), organizations.acme.key);
      const steps = ["open", "begin", "send", "commit"] as const;
      const killedIn = steps.findIndex((each) => each === step);
      for (const each of steps.slice(0, killedIn)) await writer[each](before);
      await assert.rejects(writer[steps[killedIn]!](before), /ECONNRESET|socket hang up/);
      await dying[Symbol.asyncDispose]();
      await using service = await Service.start({ directory });
      const after = new ArtifactCaller(target(service), organizations.acme.key);
      for (const each of steps.slice(killedIn)) await writer[each](after);
      await writer.requireVersion(after);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
}

function target({ baseUrl }: Service) {
  return { baseUrl, observe: () => {} };
}
