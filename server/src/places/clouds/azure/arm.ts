import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../../../buckets/bucket.ts";
import { sendToCloud, type CloudReply } from "../../../buckets/cloud-request.ts";
import { memberAt, parseJson } from "../json-reply.ts";

export interface ResourceManagerSettings {
  /** `https://management.azure.com` */
  endpoint: string;
  subscriptionId: string;
  resourceGroup: string;
  /** Returns a token for `https://management.azure.com/.default`. */
  token: () => Promise<string>;
  /** Bounds one call. */
  deadlineMs: number;
  /** Ends all calls together, also while the progress of a change is polled. */
  end: AbortSignal;
}

/** The service's calls in one connection's resource group, through Azure Resource Manager. */
export class ResourceManager {
  readonly #settings: ResourceManagerSettings;

  constructor(settings: ResourceManagerSettings) {
    this.#settings = settings;
  }

  /** Changes nothing: shows that the application may look into its resource group. */
  async readResourceGroup(): Promise<void> {
    await this.#change("reading the resource group", "GET", "", groupVersion);
  }

  /** Makes an account. The region is passed on as typed: Azure tells whether it exists. */
  async createAccount(account: string, region: string): Promise<void> {
    await this.#change("making a storage account", "PUT", accountPath(account), storageVersion, {
      location: region,
      kind: "StorageV2",
      sku: { name: "Standard_LRS" },
      tags: { "made-by": "lossless" },
      properties: {
        minimumTlsVersion: "TLS1_2",
        supportsHttpsTrafficOnly: true,
        allowBlobPublicAccess: false,
        allowSharedKeyAccess: false,
        allowCrossTenantReplication: false,
        isHnsEnabled: false,
      },
    });
  }

  /** Versions are kept, deletions are immediate, and the web application at `origin` may fetch. */
  async setBlobService(account: string, origin: string): Promise<void> {
    const path = `${accountPath(account)}/blobServices/default`;
    await this.#change("setting up the blob service", "PUT", path, storageVersion, {
      properties: {
        isVersioningEnabled: true,
        deleteRetentionPolicy: { enabled: false },
        containerDeleteRetentionPolicy: { enabled: false },
        cors: {
          corsRules: [
            {
              allowedOrigins: [origin],
              allowedMethods: ["GET", "HEAD"],
              allowedHeaders: ["range"],
              exposedHeaders: ["*"],
              maxAgeInSeconds: 3_600,
            },
          ],
        },
      },
    });
  }

  async createContainer(account: string, container: string): Promise<void> {
    const path = `${accountPath(account)}/blobServices/default/containers/${container}`;
    const body = { properties: { publicAccess: "None" } };
    await this.#change("making a container", "PUT", path, storageVersion, body);
  }

  /** Removes an account with its contents; a missing one is no error. */
  async removeAccount(account: string): Promise<void> {
    const operation = "removing a storage account";
    await this.#change(operation, "DELETE", accountPath(account), storageVersion);
  }

  async #change(
    operation: string,
    method: "GET" | "PUT" | "DELETE",
    path: string,
    version: string,
    body?: object,
  ): Promise<void> {
    const { endpoint, subscriptionId, resourceGroup, end } = this.#settings;
    const group = `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroup}`;
    const url = `${endpoint}${group}${path}?api-version=${version}`;
    let reply = await this.#send(operation, method, url, body);
    while (reply.status === 202 && method !== "GET") {
      await sleep(pauseMsOf(reply));
      if (end.aborted)
        throw new StoreError("timeout", true, `Azure did not end ${operation} in time.`);
      reply = await this.#send(operation, "GET", this.#progressOf(operation, reply));
    }
    const isDone = reply.status === 200 || reply.status === 201 || reply.status === 204;
    if (isDone || (method === "DELETE" && reply.status === 404)) return;
    throw refusalOf(operation, reply);
  }

  async #send(
    operation: string,
    method: "GET" | "PUT" | "DELETE",
    url: string,
    body?: object,
  ): Promise<CloudReply> {
    const token = await this.#settings.token();
    return sendToCloud({
      operation,
      method,
      url,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      deadlineMs: this.#settings.deadlineMs,
      signal: this.#settings.end,
    });
  }

  /**
   * Returns the address for the progress of a change. The token goes only to the resource manager.
   */
  #progressOf(operation: string, { headers }: CloudReply): string {
    const location = headers.get("location") ?? "";
    if (location.startsWith(`${this.#settings.endpoint}/`)) return location;
    throw new StoreError(
      "invalid reply",
      true,
      `Azure does not report the progress of ${operation}.`,
    );
  }
}

const groupVersion = "2021-04-01";
const storageVersion = "2023-01-01";
const pauseMsMin = 50;
const pauseMsMax = 3_000;

function accountPath(account: string): string {
  return `/providers/Microsoft.Storage/storageAccounts/${account}`;
}

function pauseMsOf({ headers }: CloudReply): number {
  const seconds = Number(headers.get("retry-after") ?? "1");
  if (!(seconds >= 0)) return pauseMsMax;
  return Math.min(Math.max(seconds * 1_000, pauseMsMin), pauseMsMax);
}

function refusalOf(operation: string, reply: CloudReply): StoreError {
  const body = parseJson(reply.body);
  const word = memberAt(body, "error", "code") ?? memberAt(body, "code");
  const isWord = typeof word === "string" && /^[A-Za-z][A-Za-z0-9]{1,63}$/.test(word);
  const code = isWord ? word : `HTTP ${reply.status}`;
  const transient = reply.status >= 500 || reply.status === 429 || reply.status === 408;
  const message = `Azure failed at ${operation}: ${reply.status} ${code}.`;
  return new StoreError(code, transient, message, undefined, advices[code]);
}

const advices: Readonly<Record<string, string>> = {
  AuthorizationFailed:
    "Give the application the role Storage Account Contributor on the resource group (the setup script does), and wait some minutes until Azure knows it.",
  ResourceGroupNotFound: "There is no such resource group: run the setup script again.",
  SubscriptionNotFound: "There is no such subscription: check the subscription id.",
  InvalidSubscriptionId: "There is no such subscription: check the subscription id.",
  MissingSubscriptionRegistration:
    "Let the subscription have storage accounts: az provider register --namespace Microsoft.Storage",
  SubscriptionNotRegistered:
    "Let the subscription have storage accounts: az provider register --namespace Microsoft.Storage",
  LocationNotAvailableForResourceType: "Azure has no such region: name one like westeurope.",
  InvalidLocation: "Azure has no such region: name one like westeurope.",
  RequestDisallowedByPolicy:
    "A policy of the subscription forbids this storage account: ask the subscription's administrator.",
  ScopeLocked: "The resource group is locked: remove the lock, or choose another group.",
  MaxAccountsLimitReached: "The subscription has no room for another storage account there.",
};
