import type { AzureApplication } from "./entra.ts";
import { BlobAccount } from "./blobs.ts";
import type { DoubleReply } from "./blob-requests.ts";

/** A storage account, and the group in which it is. */
export interface StorageAccount {
  subscriptionId: string;
  resourceGroup: string;
  region: string;
  properties: Readonly<Record<string, unknown>>;
  blobs: BlobAccount;
}

interface Body {
  location?: string;
  kind?: string;
  sku?: { name?: string };
  properties?: Record<string, unknown>;
}

const regions = new Set(["westeurope", "northeurope", "eastus", "germanywestcentral"]);

/** It is Azure Resource Manager for storage accounts: one is made while it is asked after. */
export class ManagerDouble {
  readonly accounts = new Map<string, StorageAccount>();
  /** `METHOD path`, in order. */
  readonly requests: string[] = [];
  /** Queries and bodies of the requests, in the same order. */
  readonly said: { query: string; body: unknown }[] = [];
  /** Each replaces, once, the real answer to a request whose `METHOD path` holds the text. */
  readonly planned: { match: string; reply: DoubleReply }[] = [];
  /** Hears of accounts that are made. */
  onAccount: ((name: string) => Promise<void>) | undefined;
  readonly #pending = new Map<
    string,
    { checksLeft: number; name: string; account: StorageAccount }
  >();

  /** `origin` is the manager's own address. */
  async answer(
    application: AzureApplication | undefined,
    origin: string,
    { method, path, query, body }: { method: string; path: string; query: string; body: Buffer },
  ): Promise<DoubleReply> {
    const given = (body.length > 0 ? JSON.parse(body.toString()) : {}) as Body;
    this.requests.push(`${method} ${path}`);
    this.said.push({ query, body: given });
    const planned = this.planned.findIndex(({ match }) => `${method} ${path}`.includes(match));
    if (planned >= 0) return this.planned.splice(planned, 1)[0].reply;
    if (application === undefined) return refusal(401, "InvalidAuthenticationToken");
    const [, subscriptionId, rest = ""] = /^\/subscriptions\/([^/]+)(\/.*)$/.exec(path) ?? [];
    if (!/api-version=20\d\d-\d\d-\d\d/.test(query))
      return refusal(400, "MissingApiVersionParameter");
    const operation = /^\/operations\/(\w+)$/.exec(rest)?.[1];
    if (operation !== undefined) return this.#progress(operation, origin, path, query);
    const [, group, inner = ""] = /^\/resourceGroups\/([^/]+)(\/.*)?$/.exec(rest) ?? [];
    if (subscriptionId !== application.subscriptionId) return refusal(404, "SubscriptionNotFound");
    const isOwn = group === application.resourceGroup;
    if (!isOwn || !application.roles.includes("Storage Account Contributor"))
      return refusal(403, "AuthorizationFailed");
    if (inner === "") return method === "GET" ? done({ name: group }) : refusal(405, "Forbidden");
    const [, name = "", more = ""] =
      /^\/providers\/Microsoft\.Storage\/storageAccounts\/([^/]+)(\/.*)?$/.exec(inner) ?? [];
    const place = { subscriptionId: subscriptionId, resourceGroup: group };
    if (more === "" && method === "PUT") return this.#create(name, place, given, origin);
    const account = this.accounts.get(name);
    if (account === undefined || account.resourceGroup !== group)
      return method === "DELETE" ? { status: 204 } : refusal(404, "ResourceNotFound");
    if (more === "" && method === "DELETE") {
      this.accounts.delete(name);
      return { status: 200 };
    }
    return this.#inside(account, method, more, given);
  }

  #create(
    name: string,
    place: { subscriptionId: string; resourceGroup: string },
    { location = "", kind, sku, properties = {} }: Body,
    origin: string,
  ): DoubleReply {
    if (!/^[a-z0-9]{3,24}$/.test(name)) return refusal(400, "AccountNameInvalid");
    if (!regions.has(location)) return refusal(400, "LocationNotAvailableForResourceType");
    if (kind !== "StorageV2" || sku?.name === undefined) return refusal(400, "InvalidRequest");
    if (this.accounts.has(name)) return refusal(409, "StorageAccountAlreadyTaken");
    const account = { ...place, region: location, properties, blobs: new BlobAccount() };
    const operation = crypto.randomUUID().replaceAll("-", "");
    this.#pending.set(operation, { checksLeft: 2, name, account });
    const path = `/subscriptions/${place.subscriptionId}/operations/${operation}`;
    return progressing(`${origin}${path}?api-version=2023-01-01`);
  }

  async #progress(
    operation: string,
    origin: string,
    path: string,
    query: string,
  ): Promise<DoubleReply> {
    const pending = this.#pending.get(operation);
    if (pending === undefined) return refusal(404, "NotFound");
    if (pending.checksLeft-- > 0) return progressing(`${origin}${path}?${query}`);
    this.#pending.delete(operation);
    await this.onAccount?.(pending.name);
    this.accounts.set(pending.name, pending.account);
    return done({ name: pending.name });
  }

  #inside({ blobs }: StorageAccount, method: string, more: string, body: Body): DoubleReply {
    if (method !== "PUT") return refusal(405, "MethodNotAllowed");
    if (more === "/blobServices/default") {
      blobs.isVersioning = body.properties?.isVersioningEnabled === true;
      return done(body);
    }
    const container = /^\/blobServices\/default\/containers\/([a-z0-9-]{3,63})$/.exec(more)?.[1];
    if (container === undefined) return refusal(404, "NotFound");
    if (!blobs.containers.has(container)) blobs.containers.set(container, new Map());
    return { ...done(body), status: 201 };
  }
}

function progressing(location: string): DoubleReply {
  return { status: 202, headers: { location, "retry-after": "0" } };
}

function done(body: object): DoubleReply {
  return { status: 200, body: JSON.stringify(body) };
}

function refusal(status: number, code: string): DoubleReply {
  return { status, body: JSON.stringify({ error: { code, message: "Some words." } }) };
}
