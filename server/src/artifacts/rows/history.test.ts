import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { limits } from "@lossless/protocol/limits";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { ServiceError } from "../../ground/errors.ts";
import { beginUpload, uploadStarted } from "./begin.ts";
import { commitUpload, completeUpload, readUpload, reopenUpload } from "./commit.ts";
import { orThrow } from "./kept-refusal.ts";
import { openArtifact } from "./open.ts";
import { expireUploads } from "./removal.ts";
import { place, TestArtifacts } from "./artifacts.fixture.ts";
import { findLatest } from "./version.ts";

/** A model of the promises of the scripts, in the fewest words. */
interface Model {
  epoch: number;
  versions: string[];
  uploads: {
    id: string;
    epoch: number;
    version: string;
    state: "pending" | "committed" | "abandoned";
  }[];
}

type Step =
  | { do: "open"; mode: "latest" | "new" }
  | { do: "begin"; version: string; epochsBack: number }
  | { do: "accept" | "reopen" | "commit" | "resign"; upload: number; epochsBack: number }
  | { do: "expire" };

const epochsBack = fc.oneof(
  { weight: 8, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 1, 2) },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("open" as const),
      mode: fc.constantFrom("latest" as const, "new" as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("begin" as const),
      version: fc.integer({ min: 10, max: 40 }).map(String),
      epochsBack,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "accept" as const,
        "reopen" as const,
        "commit" as const,
        "commit" as const,
        "resign" as const,
      ),
      upload: fc.nat(2),
      epochsBack,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("expire" as const) }) },
);

/** Runs a step on both and compares: the outcome, and the error's code and epoch. */
class History {
  readonly #artifacts: TestArtifacts;
  readonly #model: Model = { epoch: 0, versions: [], uploads: [] };

  constructor(artifacts: TestArtifacts) {
    this.#artifacts = artifacts;
  }

  async run(next: Step): Promise<void> {
    const expected = this.#expected(next);
    const actual = await this.#actual(next).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      const { code, details } = error;
      return code === "superseded" ? `superseded ${String(details["epoch"])}` : code;
    });
    assert.equal(actual, expected, JSON.stringify(next));
    await this.#compareLatest();
  }

  async #compareLatest(): Promise<void> {
    const { node, organizationId } = this.#artifacts;
    const name = { organizationId, artifact: "a" };
    const latest = await node.read((reader) => findLatest(reader, name), {});
    assert.equal(latest?.version, this.#model.versions.at(-1));
  }

  #upload(index: number): Model["uploads"][number] | undefined {
    return this.#model.uploads.at(-1 - index);
  }

  #expected(next: Step): string {
    const model = this.#model;
    const latest = model.versions.at(-1);
    if (next.do === "expire") {
      for (const upload of model.uploads)
        if (upload.state === "pending") upload.state = "abandoned";
      return "ok";
    }
    if (next.do === "open") {
      if (next.mode === "latest" && latest === undefined) return "not_found";
      if (next.mode === "new" && latest !== undefined) return "not_empty";
      model.epoch += 1;
      for (const upload of model.uploads)
        if (upload.state === "pending") upload.state = "abandoned";
      return `epoch ${model.epoch}`;
    }
    const epoch = Math.max(0, model.epoch - next.epochsBack);
    const isStale = epoch !== model.epoch || model.epoch === 0;
    const stale = `superseded ${model.epoch}`;
    const isBelow = (version: string) => latest !== undefined && version <= latest;
    if (next.do === "begin") {
      if (isStale) return stale;
      return isBelow(next.version) ? "not_after_latest" : "begun";
    }
    const upload = this.#upload(next.upload);
    if (upload === undefined) return "not_found";
    if (next.do === "resign") {
      if (isStale) return stale;
      if (upload.state === "committed") return "conflict";
      return upload.state === "pending" ? "ok" : "not_found";
    }
    if (upload.state === "committed") return "committed";
    const problem = isBelow(upload.version) ? "not_after_latest" : undefined;
    if (next.do === "accept") {
      if (isStale) return stale;
      return problem ?? (upload.state === "pending" ? "ok" : "not_found");
    }
    if (upload.epoch !== model.epoch) return stale;
    if (problem !== undefined || upload.state === "abandoned") return problem ?? "not_found";
    if (next.do === "reopen") return "ok";
    upload.state = "committed";
    model.versions.push(upload.version);
    for (const each of model.uploads) {
      if (each.state === "pending" && each.version <= upload.version) each.state = "abandoned";
    }
    return "committed";
  }

  async #actual(next: Step): Promise<string> {
    const { node, organizationId } = this.#artifacts;
    const name = { organizationId, artifact: "a" };
    node.nowMs += 1;
    if (next.do === "expire") {
      node.nowMs += 7 * 24 * 3_600_000;
      await node.write(expireUploads, { limit: 1_000 });
      return "ok";
    }
    if (next.do === "open") {
      const opened = await node.write(openArtifact, {
        ...name,
        mode: next.mode,
        place,
        source: null,
      });
      return `epoch ${opened.epoch}`;
    }
    // The model has moved on already, but only open moves its epoch.
    const epoch = Math.max(0, this.#model.epoch - next.epochsBack);
    if (next.do === "begin") return this.#begin(next.version, epoch);
    const uploadId = this.#upload(next.upload)?.id ?? "nothing";
    const upload = { ...name, uploadId };
    if (next.do === "resign") {
      await node.read(readUpload, { ...upload, epoch });
      return "ok";
    }
    if (next.do === "accept") {
      const files = [{ name: "f", etags: ["x"] }];
      const accepted = await node.write(completeUpload, { ...upload, epoch, files });
      return "committed" in accepted ? "committed" : "ok";
    }
    if (next.do === "reopen") {
      const now = orThrow(await node.write(reopenUpload, { ...upload, keptAtMs: null }));
      return now === "pending" ? "ok" : "committed";
    }
    const decided = { ...upload, committedAtMs: node.nowMs, storeVersions: [] };
    orThrow(await node.write(commitUpload, decided));
    return "committed";
  }

  async #begin(version: string, epoch: number): Promise<string> {
    const { node, organizationId, locationId } = this.#artifacts;
    const name = { organizationId, artifact: "a" };
    const uploadId = crypto.randomUUID();
    const files = [{ name: "f", size: 1, partSize: 8, parts: 1, key: "f" }];
    await node.write(beginUpload, {
      ...name,
      version,
      epoch,
      uploadId,
      locationId,
      prefix: `${uploadId}/`,
      files,
      place,
      match: null,
      warning: null,
      metaText: "{}",
    });
    orThrow(await node.write(uploadStarted, { ...name, uploadId, storeUploads: ["s"] }));
    const { uploads } = this.#model;
    uploads.push({ id: uploadId, epoch, version, state: "pending" });
    const pending = uploads.filter(({ state }) => state === "pending");
    const crowd = pending.slice(0, -limits.pendingUploadsPerArtifactMax);
    for (const each of crowd) each.state = "abandoned";
    return "begun";
  }
}

onEachDatabase((fresh) => {
  const node = fresh.node();

  test("any history of opens, begins and commits goes as the rules say", async () => {
    const histories = fc.array(step, { minLength: 30, maxLength: 50 });
    await fc.assert(
      fc.asyncProperty(histories, async (steps) => {
        const history = new History(await TestArtifacts.open(node));
        for (const next of steps) await history.run(next);
      }),
      { numRuns: fresh.dialect === "sqlite" ? 40 : 25 },
    );
  });
});
