import { setTimeout as sleep } from "node:timers/promises";
import { AzureBlobBucket } from "../../buckets/azure-blob.ts";
import { fetchDelegationKey } from "../../buckets/azure-delegation.ts";
import { StoreError } from "../../buckets/bucket.ts";
import { cloudName, type ConnectionAccess } from "../../connections/connection.ts";
import type { Cloud, CloudSettings, CreatedBucket } from "../cloud.ts";
import { endpointOf } from "../endpoints.ts";
import { RenewedSession } from "../session.ts";
import { ResourceManager } from "./arm.ts";
import { fetchAccessToken, type AccessToken, type AzureScope } from "./entra.ts";
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
      const session = sessionOf(settings, access, storageScope, callMs);
      const token = async () => (await session.current()).token;
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
        onRefusedToken: (refused) => session.forget(refused),
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
const changeDeadlineMs = 90_000;
const namesTried = 3;
/** A role of the resource group counts at a new account, and its name is known, after a while. */
const readyDeadlineMs = 30_000;
const readyPauseMs = 2_000;

/** Tokens of one scope, renewed in time. */
function sessionOf(
  settings: CloudSettings,
  access: ConnectionAccess,
  scope: AzureScope,
  callMs: number,
) {
  let last: AccessToken | undefined;
  const session = new RenewedSession(
    async () => (last = await fetchAccessToken(settings, access, scope, callMs)),
    settings.clock,
  );
  return {
    current: () => session.current(),
    forget: (token: string): void => {
      if (last?.token === token) session.forget(last);
    },
  };
}

function managerOf(settings: CloudSettings, access: ConnectionAccess): ResourceManager {
  const { subscriptionId, resourceGroup } = azureOf(access);
  const session = sessionOf(settings, access, managementScope, deadlineMs);
  return new ResourceManager({
    endpoint: settings.endpoints.azure.management,
    subscriptionId,
    resourceGroup,
    token: async () => (await session.current()).token,
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
