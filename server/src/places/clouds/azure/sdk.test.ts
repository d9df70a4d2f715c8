import { StorageManagementClient } from "@azure/arm-storage";
import {
  AnonymousCredential,
  BlobServiceClient,
  newPipeline,
  type BlockBlobClient,
  type ContainerClient,
  type ContainerListBlobsOptions,
} from "@azure/storage-blob";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SentRequest } from "../../../../../test/clouds/azure/double.ts";
import { blockId } from "../../../buckets/azure/block.ts";
import { fetchDelegationKey } from "../../../buckets/azure/delegation.ts";
import type { ArtifactBucket } from "../../../buckets/bucket.ts";
import { sendPart } from "../../../buckets/artifact-client.fixture.ts";
import { assertSame, content } from "../../../buckets/conformance.fixture.ts";
import { ResourceManager } from "./arm.ts";
import { AzureBench, AzureBlobs } from "./bench.fixture.ts";
import { fetchAccessToken, type AzureScope } from "./entra.ts";

/**
 * Azure's SDK as an oracle: it was tested against Azure, our driver and its double were not. Each
 * request of the driver about blobs equals one of the SDK, and the SDK can read the double's
 * replies. Signatures are the SDK's too, in the double.
 */
class Pair implements AsyncDisposable {
  readonly opened: AzureBlobs;
  readonly service: BlobServiceClient;
  readonly container: ContainerClient;

  private constructor(opened: AzureBlobs, token: string) {
    this.opened = opened;
    const pipeline = newPipeline(new AnonymousCredential(), { retryOptions: { maxTries: 1 } });
    // The SDK sends a token of its own over https only.
    pipeline.factories.push({
      create: (next) => ({
        sendRequest: (request) => {
          request.headers.set("authorization", `Bearer ${token}`);
          return next.sendRequest(request);
        },
      }),
    });
    this.service = new BlobServiceClient(opened.created.endpoint, pipeline);
    this.container = this.service.getContainerClient(opened.created.bucket);
  }

  static async open(): Promise<Pair> {
    const opened = await AzureBlobs.open();
    return new Pair(opened, await tokenOf(opened.bench, "https://storage.azure.com/.default"));
  }

  /**
   * Runs the call on both clients, each on a blob of its own, and requires requests of the same
   * meaning.
   */
  async same<Result>(
    driver: (bucket: ArtifactBucket, key: string) => Promise<Result>,
    sdk: (blob: BlockBlobClient, driven: Result) => Promise<unknown>,
  ): Promise<Result> {
    const { blobRequests } = this.opened.bench.double;
    const before = blobRequests.length;
    const driven = await driver(this.opened.bucket, "blob/driver");
    const ours = blobRequests.splice(before).map(meaningOf);
    await sdk(this.container.getBlockBlobClient("blob/of-sdk"), driven);
    const theirs = blobRequests.splice(before).map(meaningOf);
    assert.ok(ours.length > 0);
    assert.deepEqual(ours, theirs);
    return driven;
  }

  /** The versions that the list has. */
  async list(options: ContainerListBlobsOptions): Promise<string[]> {
    const pages = this.container.listBlobsFlat(options).byPage({ maxPageSize: 1_000 });
    const [page] = await Array.fromAsync(pages);
    return page.segment.blobItems.flatMap(({ versionId }) => versionId ?? []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.opened[Symbol.asyncDispose]();
  }
}

test("azure: a blob is put, looked at, read, listed and deleted as by the SDK", async () => {
  await using pair = await Pair.open();
  await pair.same(
    (bucket, key) => bucket.put(key, [content(5)]),
    (blob) => blob.upload(content(5), 5, onlyNew()),
  );
  await pair.same(
    (bucket, key) => bucket.inspect(key),
    async (blob, { sizeBytes }) =>
      assert.equal((await blob.getProperties()).contentLength, sizeBytes),
  );
  await pair.same(
    (bucket, key) => bucket.read(key, 1, 2),
    async (blob, bytes) => assertSame(await blob.downloadToBuffer(1, 2), bytes),
  );
  await pair.same(
    (bucket) => Array.fromAsync(bucket.list("blob/")),
    async (_, found) => assert.equal((await pair.list({ prefix: "blob/" })).length, found.length),
  );
  for (const key of ["driver", "of-sdk"]) {
    const leased = pair.container.getBlobClient(`blob/${key}`).getBlobLeaseClient();
    await leased.acquireLease(-1);
  }
  await pair.same(
    (bucket, key) => bucket.delete(key),
    async (blob) => {
      await assert.rejects(blob.delete({ deleteSnapshots: "include" }), { code: "LeaseIdMissing" });
      await blob.getBlobLeaseClient().breakLease(0);
      await blob.delete({ deleteSnapshots: "include" });
      const [version] = await pair.list({ prefix: "blob/of-sdk", includeVersions: true });
      await blob.withVersion(version).delete();
    },
  );
});

test("azure: an upload is begun, found, looked at, completed and aborted as by the SDK", async () => {
  for (const end of ["complete", "abort"] as const) {
    await using pair = await Pair.open();
    const { bucket } = pair.opened;
    const storeUpload = await pair.same(
      (_, key) => bucket.startUpload(key),
      (blob, begun) => blob.stageBlock(blockId({ storeUpload: begun, number: 0 }), "m", 1),
    );
    const upload = { key: "blob/driver", storeUpload };
    const part = await sendPart(bucket, upload, 1, content(10));
    const id = blockId({ storeUpload, number: 1 });
    await pair.container.getBlockBlobClient("blob/of-sdk").stageBlock(id, content(10), 10);
    await pair.same(
      () => Array.fromAsync(bucket.listUploads("blob/")),
      async (blob) => {
        await pair.list({ prefix: "blob/", includeUncommitedBlobs: true });
        for (let found = 0; found < 2; found++) await blob.getBlockList("uncommitted");
      },
    );
    await pair.same(
      () => bucket.listParts(upload),
      async (blob, [found]) => {
        const { uncommittedBlocks } = await blob.getBlockList("uncommitted");
        assert.deepEqual(uncommittedBlocks?.at(-1), { name: id, size: found?.sizeBytes });
      },
    );
    if (end === "complete")
      await pair.same(
        () => bucket.complete(upload, [part]),
        async (blob) => {
          await blob.getBlockList("uncommitted");
          assert.ok((await blob.commitBlockList([id], onlyNew())).versionId);
        },
      );
    else
      await pair.same(
        () => bucket.abort(upload),
        async (blob) => {
          await blob.getBlockList("uncommitted");
          const { etag, versionId } = await blob.commitBlockList([], onlyNew());
          await blob.delete({ deleteSnapshots: "include", conditions: { ifMatch: etag! } });
          await blob.withVersion(versionId!).delete();
        },
      );
  }
});

test("azure: a key for signing is fetched as by the SDK", async () => {
  await using pair = await Pair.open();
  const { opened, service } = pair;
  const token = await tokenOf(opened.bench, "https://storage.azure.com/.default");
  const times = { nowMs: Date.now(), deadlineMs: 10_000 };
  await pair.same(
    () => fetchDelegationKey(opened.created.endpoint, token, times),
    async (_, { start, expiry, value, objectId }) => {
      const key = await service.getUserDelegationKey(new Date(start), new Date(expiry));
      assert.deepEqual([key.value, key.signedObjectId], [value, objectId]);
    },
  );
});

test("azure: the resource manager is asked for an account as by its SDK", async () => {
  await using bench = await AzureBench.start();
  const { application, double } = bench;
  const { subscriptionId, resourceGroup } = application;
  const endpoint = double.endpoints.management;
  const token = await tokenOf(bench, "https://management.azure.com/.default");
  const { requests, said } = double.manager;
  const sent = () =>
    requests
      .splice(0)
      .map((request, at) => ({ request: request.replace(/operations\/.*/, ""), ...said[at] }));
  const ours = new ResourceManager({
    endpoint,
    subscriptionId,
    resourceGroup,
    token: async () => token,
    deadlineMs: 10_000,
    end: AbortSignal.timeout(60_000),
  });
  await ours.createAccount("ll1", "westeurope");
  await ours.setBlobService("ll1", "https://lossless.example");
  await ours.createContainer("ll1", "container");
  await ours.removeAccount("ll1");
  const driven = sent();
  said.length = 0;
  const client = new StorageManagementClient({ getToken: async () => null }, subscriptionId, {
    endpoint,
    apiVersion: "2023-01-01",
  });
  client.pipeline.removePolicy({ name: "bearerTokenAuthenticationPolicy" });
  client.pipeline.addPolicy({
    name: "token",
    sendRequest: (request, next) => {
      request.headers.set("authorization", `Bearer ${token}`);
      request.allowInsecureConnection = true;
      return next(request);
    },
  });
  const { storageAccounts, blobServices, blobContainers } = client;
  await storageAccounts.create(resourceGroup, "ll1", {
    location: "westeurope",
    kind: "StorageV2",
    sku: { name: "Standard_LRS" },
    tags: { "made-by": "lossless" },
    minimumTlsVersion: "TLS1_2",
    enableHttpsTrafficOnly: true,
    allowBlobPublicAccess: false,
    allowSharedKeyAccess: false,
    allowCrossTenantReplication: false,
    isHnsEnabled: false,
  });
  await blobServices.setServiceProperties(resourceGroup, "ll1", {
    isVersioningEnabled: true,
    deleteRetentionPolicy: { enabled: false },
    containerDeleteRetentionPolicy: { enabled: false },
    cors: {
      corsRules: [
        {
          allowedOrigins: ["https://lossless.example"],
          allowedMethods: ["GET", "HEAD"],
          allowedHeaders: ["range"],
          exposedHeaders: ["*"],
          maxAgeInSeconds: 3_600,
        },
      ],
    },
  });
  await blobContainers.create(resourceGroup, "ll1", "container", { publicAccess: "None" });
  await storageAccounts.delete(resourceGroup, "ll1");
  assert.deepEqual(driven, sent());
});

function onlyNew() {
  return { conditions: { ifNoneMatch: "*" } };
}

/**
 * Returns the meaning of a request to Azure, without its sender, time and version of the interface.
 * Values that Azure generated for each of the two blobs are left out, and synonyms are replaced by
 * one word.
 */
function meaningOf({ method, url, headers, body }: SentRequest) {
  const { pathname, searchParams } = new URL(url.replaceAll("of-sdk", "driver"), "http://double");
  const query = [...searchParams].map(([name, value]) => [name, name === "versionid" || value]);
  const said = Object.entries(headers)
    .filter(([name]) => /^(x-ms-|if-|range$)/.test(name) && !unsaid.has(name))
    .map(([name, value]) => [name.replace("x-ms-range", "range"), name === "if-match" || value]);
  const text = body
    .replace(/^<\?xml[^>]*\?>/, "")
    .replaceAll("Latest>", "Uncommitted>")
    .replace("<BlockList/>", "<BlockList></BlockList>");
  return { method, path: pathname, query: query.sort(), headers: said.sort(), body: text };
}

const unsaid = new Set(["x-ms-version", "x-ms-client-request-id"]);

async function tokenOf(bench: AzureBench, scope: AzureScope): Promise<string> {
  return (await fetchAccessToken(bench.settings, bench.access, scope, 10_000)).token;
}
