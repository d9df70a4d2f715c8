import { setTimeout as sleep } from "node:timers/promises";
import { AzureBlobBucket } from "../../buckets/azure-blob.ts";
import { fetchDelegationKey } from "../../buckets/azure-delegation.ts";
import { StoreError } from "../../buckets/bucket.ts";
import { cloudName, type ConnectionAccess } from "../../connections/connection.ts";
import type { Cloud, CloudSettings, CreatedBucket } from "../cloud.ts";
import { endpointOf } from "../endpoints.ts";
import { RenewedSession } from "../session.ts";
import { ResourceManager } from "./arm.ts";
import { fetchAccessToken, type AzureScope } from "./entra.ts";
import { accountOf, azureOf, newAccountName } from "./identifiers.ts";

/** Azure: every created location is a storage account of its own with one container. */
export function azureCloud(settings: CloudSettings): Cloud {
  return {
    async verify(access) {
      await fetchAccessToken(settings, access, storageScope, deadlineMs);
      await managerOf(settings, access).readResourceGroup();
    },

    async createBucket(access, { region, origin }) {
      const manager = managerOf(settings, access);
      const container = cloudName(access.connectionId);
      const account = await createAccount(manager, access, region);
      const endpoint = endpointOf(settings.endpoints.azure.blob, { account });
      const bucket = { region, endpoint, bucket: container, pathStyle: true };
      try {
        await manager.setBlobService(account, origin);
        await manager.createContainer(account, container);
        await untilReady(settings, access, bucket);
        return bucket;
      } catch (error) {
        // That it failed is what counts; an account that stays is empty, and can be seen in the resource group.
        await manager.removeAccount(account).catch(() => undefined);
        throw error;
      }
    },

    async removeBucket(access, { endpoint }) {
      await managerOf(settings, access).removeAccount(accountOf(endpoint));
    },

    openBucket(access, { endpoint, bucket }, limits) {
      const { clock } = settings;
      const callMs = limits.deadlineMs ?? deadlineMs;
      const token = tokenOf(settings, access, storageScope, callMs);
      const key = new RenewedSession(
        async () =>
          fetchDelegationKey(endpoint, await token(), { nowMs: clock(), deadlineMs: callMs }),
        clock,
      );
      return new AzureBlobBucket({
        endpoint,
        account: accountOf(endpoint),
        container: bucket,
        token,
        delegationKey: () => key.current(),
        clock,
        deadlineMs: limits.deadlineMs,
        versioning: "required",
      });
    },
  };
}

const storageScope = "https://storage.azure.com/.default";
const managementScope = "https://management.azure.com/.default";
const deadlineMs = 30_000;
/** A storage account takes Azure half a minute, now and then a whole one. */
const changeDeadlineMs = 120_000;
const namesTried = 3;
/** A role of the resource group counts at a new account, and its name is known, after a while. */
const readyDeadlineMs = 60_000;
const readyPauseMs = 2_000;

function tokenOf(
  settings: CloudSettings,
  access: ConnectionAccess,
  scope: AzureScope,
  callMs: number,
): () => Promise<string> {
  const session = new RenewedSession(
    () => fetchAccessToken(settings, access, scope, callMs),
    settings.clock,
  );
  return async () => (await session.current()).token;
}

function managerOf(settings: CloudSettings, access: ConnectionAccess): ResourceManager {
  const { subscriptionId, resourceGroup } = azureOf(access);
  return new ResourceManager({
    endpoint: settings.endpoints.azure.management,
    subscriptionId,
    resourceGroup,
    token: tokenOf(settings, access, managementScope, deadlineMs),
    deadlineMs,
    changeDeadlineMs,
  });
}

/** Names are unique in all of Azure. */
async function createAccount(
  manager: ResourceManager,
  access: ConnectionAccess,
  region: string,
): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const account = newAccountName(access.connectionId);
    try {
      await manager.createAccount(account, region);
      return account;
    } catch (error) {
      const isTaken = error instanceof StoreError && takenCodes.has(error.code);
      if (isTaken && attempt < namesTried) continue;
      // It may have been made after all. One that is taken is somebody else's.
      if (!isTaken) await manager.removeAccount(account).catch(() => undefined);
      throw error;
    }
  }
}

const takenCodes = new Set(["StorageAccountAlreadyTaken", "StorageAccountAlreadyExists"]);

/** Resolves when the account knows the application: it may list, and sign. */
async function untilReady(
  settings: CloudSettings,
  access: ConnectionAccess,
  bucket: CreatedBucket,
): Promise<void> {
  const endsAtMs = performance.now() + readyDeadlineMs;
  await using opened = azureCloud(settings).openBucket(access, bucket, {});
  for (;;) {
    try {
      await opened.signReads([{ key: "none" }], 60_000);
      for await (const _ of opened.list("none")) break;
      return;
    } catch (error) {
      const mayPass = error instanceof StoreError && (error.transient || error.code in lateCodes);
      if (!mayPass || performance.now() > endsAtMs) throw error;
    }
    await sleep(readyPauseMs);
  }
}

const lateCodes: Readonly<Record<string, true>> = {
  AuthorizationPermissionMismatch: true,
  AuthorizationFailure: true,
  ContainerNotFound: true,
  ResourceNotFound: true,
};
