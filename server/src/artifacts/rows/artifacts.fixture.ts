import type { TestNode } from "../../database/node.fixture.ts";
import type { Transaction } from "../../database/database.ts";
import { newId } from "../../ground/ids.ts";
import type { Counting } from "../../database/quotas/ledger.ts";
import { beginUpload, uploadStarted } from "./begin.ts";
import { commitUpload } from "./commit.ts";
import { orThrow } from "./kept-refusal.ts";
import { openArtifact } from "./open.ts";

export const place = { cloud: "aws", region: "us-east-1", source: "test" };

/** One organization with a location, and its artifacts without any store. */
export class TestArtifacts {
  readonly node: TestNode;
  readonly organizationId: string;
  readonly locationId: string;

  private constructor(node: TestNode, organizationId: string, locationId: string) {
    this.node = node;
    this.organizationId = organizationId;
    this.locationId = locationId;
  }

  static async open(node: TestNode): Promise<TestArtifacts> {
    const organizationId = await node.newOrganization();
    const id = newId(node.nowMs);
    await node.execute(
      `INSERT INTO location (id, organization, driver, name, cloud, region, endpoint, bucket, path, capabilities,
         is_fallback, is_default, state, created_at_ms)
       VALUES ($1, $2, 's3', 'home', 'aws', 'us-east-1', 'https://s3.test', $1, '', '{}', 1, 0, 'active', 0)`,
      id,
      organizationId,
    );
    return new TestArtifacts(node, organizationId, id);
  }

  async openNew(artifact: string): Promise<number> {
    const { organizationId } = this;
    const input = { organizationId, artifact, mode: "new" as const, place, source: null };
    return (await this.node.write(openArtifact, input)).epoch;
  }

  /** A pending upload; its id. */
  begin(artifact: string, version: string, epoch: number, files = ["f"]): Promise<string> {
    return this.node.counted((transaction, context) =>
      this.#beginIn(transaction, context, { artifact, version, epoch, names: files }),
    );
  }

  /** Open, begin and commit of many versions in one transaction: no fsync for each. */
  async commitAll(artifact: string, versions: Record<string, string[]>): Promise<void> {
    await this.openNew(artifact);
    const { organizationId, node } = this;
    await node.counted(async (transaction, context) => {
      for (const [version, names] of Object.entries(versions)) {
        const wanted = { artifact, version, epoch: 1, names };
        const uploadId = await this.#beginIn(transaction, context, wanted);
        const decided = { committedAtMs: node.nowMs, storeVersions: [] };
        const input = { organizationId, artifact, uploadId, ...decided };
        orThrow(await commitUpload(transaction, input, context));
      }
    });
  }

  async #beginIn(
    transaction: Transaction,
    context: Counting,
    {
      artifact,
      version,
      epoch,
      names,
    }: { artifact: string; version: string; epoch: number; names: string[] },
  ): Promise<string> {
    const { organizationId, locationId, node } = this;
    const uploadId = newId((node.nowMs += 1));
    const files = names.map((name) => ({ name, size: 1, partSize: 8, parts: 1, key: name }));
    const prefix = `${organizationId}/${uploadId}/`;
    await beginUpload(
      transaction,
      {
        organizationId,
        artifact,
        version,
        epoch,
        uploadId,
        locationId,
        prefix,
        files,
        place,
        match: null,
        warning: null,
        metaText: "{}",
      },
      { ...context, nowMs: node.nowMs },
    );
    const storeUploads = names.map((name) => `store-${name}`);
    orThrow(
      await uploadStarted(
        transaction,
        { organizationId, artifact, uploadId, storeUploads },
        context,
      ),
    );
    return uploadId;
  }
}
