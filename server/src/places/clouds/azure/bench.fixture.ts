import {
  audiences,
  cloudName,
  type ConnectionAccess,
  subjectOf,
} from "../../rows/connections/connection.ts";
import type { ArtifactBucket } from "../../../buckets/bucket.ts";
import { azureCloud } from "./cloud.ts";
import { publicEndpoints } from "../endpoints.ts";
import type { Cloud, CloudSettings, CreatedBucket } from "../cloud.ts";
import { AzureDouble } from "../../../../../test/clouds/azure/double.ts";
import type { AzureApplication } from "../../../../../test/clouds/azure/entra.ts";
import { SmallIssuer } from "../../../../../test/clouds/gcp/small-issuer.ts";
import type { StorageAccount } from "../../../../../test/clouds/azure/arm.ts";

type Changeable<Value> = { -readonly [Name in keyof Value]: Value[Name] };

/** The cloud's code beside its double and a small issuer, for one connection that is set up. */
export class AzureBench implements AsyncDisposable {
  readonly double: AzureDouble;
  readonly issuer: SmallIssuer;
  readonly application: Changeable<AzureApplication>;
  readonly settings: CloudSettings;
  readonly cloud: Cloud;
  readonly access: ConnectionAccess;

  private constructor(double: AzureDouble, issuer: SmallIssuer) {
    this.double = double;
    this.issuer = issuer;
    const azure = {
      tenantId: crypto.randomUUID(),
      clientId: crypto.randomUUID(),
      subscriptionId: crypto.randomUUID(),
      resourceGroup: "lossless-group",
    };
    const organizationId = "01kb3q8e1nacmeacmeacme0001";
    const connectionId = "01kb3q8e1nc0nnc0nnc0n12345";
    this.access = { organizationId, connectionId, identifiers: { cloud: "azure", azure } };
    this.application = {
      ...azure,
      issuer: issuer.issuer,
      subject: subjectOf(organizationId, connectionId),
      audience: audiences.azure,
      roles: ["Storage Account Contributor", "Storage Blob Data Owner"],
    };
    double.entra.applications.push(this.application);
    const endpoints = { ...publicEndpoints, azure: double.endpoints };
    this.settings = { tokens: issuer, endpoints, clock: Date.now };
    this.cloud = azureCloud(this.settings);
  }

  static async start(): Promise<AzureBench> {
    return new AzureBench(await AzureDouble.start(), await SmallIssuer.start());
  }

  get container(): string {
    return cloudName(this.access.connectionId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.double[Symbol.asyncDispose]();
    await this.issuer[Symbol.asyncDispose]();
  }
}

/** A bucket that was made the whole way: token, storage account, container. */
export class AzureBlobs implements AsyncDisposable {
  readonly bench: AzureBench;
  readonly created: CreatedBucket;
  readonly bucket: ArtifactBucket;

  private constructor(bench: AzureBench, created: CreatedBucket) {
    this.bench = bench;
    this.created = created;
    this.bucket = bench.cloud.openBucket(bench.access, created, {});
  }

  static async open(): Promise<AzureBlobs> {
    const bench = await AzureBench.start();
    const wanted = { region: "westeurope", origin: "https://lossless.example" };
    return new AzureBlobs(bench, await bench.cloud.createBucket(bench.access, wanted));
  }

  get application(): Changeable<AzureApplication> {
    return this.bench.application;
  }

  get account(): StorageAccount {
    return [...this.bench.double.manager.accounts.values()][0];
  }

  /** Ids of every state of a blob that the account still holds. */
  versionsOf(key: string): string[] {
    const blob = this.account.blobs.container(this.created.bucket).get(key);
    return (blob?.states ?? []).map(({ versionId }) => versionId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.bucket[Symbol.asyncDispose]();
    await this.bench[Symbol.asyncDispose]();
  }
}
