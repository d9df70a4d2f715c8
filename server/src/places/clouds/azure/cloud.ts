import { setTimeout as sleep } from "node:timers/promises";
import { AzureBlobBucket } from "../../../buckets/azure/bucket.ts";
import { fetchDelegationKey } from "../../../buckets/azure/delegation.ts";
import { StoreError } from "../../../buckets/bucket.ts";
import { cloudName, type ConnectionAccess } from "../../rows/connections/connection.ts";
import type { Cloud, CloudSettings, CreatedBucket, OpenLimits } from "../cloud.ts";
import { endpointOf } from "../endpoints.ts";
import { withLeftBehind } from "../left-behind.ts";
import { RenewedSession } from "../session.ts";
import { ResourceManager } from "./arm.ts";
import { fetchAccessToken, type AccessToken, type AzureScope } from "./entra.ts";
import { accountOf, azureOf, newAccountName } from "./identifiers.ts";

/** Deadlines of these steps, each with all its calls. */
export interface AzureTimes {
  verifyMs: number;
  /** Time until a bucket is made and can be used. */
  makingMs: number;
  /** Time for making it, and for removing the account when that failed. */
  createMs: number;
  removeMs: number;
}

/** Opens Azure: every created location is a storage account of its own with one container. */
export function azureCloud(settings: CloudSettings, times: AzureTimes = usualTimes): Cloud {
  return {
    async verify(access) {
      const end = AbortSignal.timeout(times.verifyMs);
      await fetchAccessToken(settings, access, storageScope, deadlineMs, end);
      await managerOf(settings, access, end).readResourceGroup();
    },

    async createBucket(access, { region, origin }) {
      const end = AbortSignal.timeout(times.makingMs);
      const manager = managerOf(settings, access, end);
      const remover = managerOf(settings, access, AbortSignal.timeout(times.createMs));
      const container = cloudName(access.connectionId);
      const account = await createAccount(manager, remover, access, region);
      const endpoint = endpointOf(settings.endpoints.azure.blob, { account });
      const bucket = { region, endpoint, bucket: container, pathStyle: true };
      try {
        await manager.setBlobService(account, origin);
        await manager.createContainer(account, container);
        await untilReady(() => openBucket(settings, access, bucket, { end }), end);
        return bucket;
      } catch (error) {
        const left = await removalFailure(remover, account);
        throw left === undefined ? error : withLeftBehind(error, `storage account ${account}`);
      }
    },

    async removeBucket(access, { endpoint }) {
      const end = AbortSignal.timeout(times.removeMs);
      await managerOf(settings, access, end).removeAccount(accountOf(endpoint));
    },

    openBucket(access, created, limits) {
      return openBucket(settings, access, created, limits);
    },
  };
}

/** `end` is of whatever is done with it. */
function openBucket(
  settings: CloudSettings,
  access: ConnectionAccess,
  { endpoint, bucket }: CreatedBucket,
  { deadlineMs: callMs = deadlineMs, end }: OpenLimits & { end?: AbortSignal },
): AzureBlobBucket {
  const { clock } = settings;
  const session = sessionOf(settings, access, storageScope, { callMs, end });
  const token = async () => (await session.current()).token;
  const key = new RenewedSession(
    async () =>
      fetchDelegationKey(endpoint, await token(), { nowMs: clock(), deadlineMs: callMs, end }),
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
    deadlineMs: callMs,
    end,
    versioning: "required",
  });
}

const storageScope = "https://storage.azure.com/.default";
const managementScope = "https://management.azure.com/.default";
const deadlineMs = 30_000;
/** Usual times; a storage account takes Azure half a minute, at times a whole one. */
const usualTimes: AzureTimes = {
  verifyMs: 30_000,
  makingMs: 85_000,
  createMs: 100_000,
  removeMs: 30_000,
};
const namesTried = 3;
/** A role of the resource group counts at a new account, and its name is known, after a while. */
const readyDeadlineMs = 30_000;
const readyPauseMs = 2_000;

/** Tokens of one scope, renewed in time. */
function sessionOf(
  settings: CloudSettings,
  access: ConnectionAccess,
  scope: AzureScope,
  { callMs, end }: { callMs: number; end?: AbortSignal | undefined },
) {
  let last: AccessToken | undefined;
  const session = new RenewedSession(
    async () => (last = await fetchAccessToken(settings, access, scope, callMs, end)),
    settings.clock,
  );
  return {
    current: () => session.current(),
    forget: (token: string): void => {
      if (last?.token === token) session.forget(last);
    },
  };
}

function managerOf(
  settings: CloudSettings,
  access: ConnectionAccess,
  end: AbortSignal,
): ResourceManager {
  const { subscriptionId, resourceGroup } = azureOf(access);
  const session = sessionOf(settings, access, managementScope, { callMs: deadlineMs, end });
  return new ResourceManager({
    endpoint: settings.endpoints.azure.management,
    subscriptionId,
    resourceGroup,
    token: async () => (await session.current()).token,
    deadlineMs,
    end,
  });
}

/** Names are unique in all of Azure. */
async function createAccount(
  manager: ResourceManager,
  remover: ResourceManager,
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
      // The account may have been made after all. One whose name is taken is another customer's.
      const left = isTaken ? undefined : await removalFailure(remover, account);
      throw mayPass(left) || (left !== undefined && mayPass(error))
        ? withLeftBehind(error, `storage account ${account}`)
        : error;
    }
  }
}

const takenCodes = new Set(["StorageAccountAlreadyTaken", "StorageAccountAlreadyExists"]);

function mayPass(error: unknown): boolean {
  return error instanceof StoreError && error.transient;
}

/** Returns why the account could not be removed; undefined when it is gone. */
function removalFailure(remover: ResourceManager, account: string): Promise<unknown> {
  return remover.removeAccount(account).then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Resolves when the account knows the application: it may list, and sign. */
async function untilReady(open: () => AzureBlobBucket, end: AbortSignal): Promise<void> {
  const endsAtMs = performance.now() + readyDeadlineMs;
  await using opened = open();
  for (;;) {
    try {
      await opened.signReads([{ key: "none" }], 60_000);
      for await (const _ of opened.list("none")) break;
      return;
    } catch (error) {
      const isLate = error instanceof StoreError && error.code in lateCodes;
      const isOver = end.aborted || performance.now() > endsAtMs;
      if (!(isLate || mayPass(error)) || isOver) throw error;
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
