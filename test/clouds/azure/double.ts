import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import { randomBytes } from "node:crypto";
import { listening, LoopbackServer } from "../../loopback.ts";
import { answerBlobRequest, type DoubleReply } from "./blob-requests.ts";
import { keyValue, refusalOfSignature } from "./blob-signature.ts";
import { BlobRefusal } from "./blobs.ts";
import { EntraDouble, type AzureApplication } from "./entra.ts";
import { ManagerDouble, type StorageAccount } from "./arm.ts";

export interface SentRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/**
 * Azure in one process: Entra's token endpoint (`/login`), the resource manager (`/manage`) and
 * blob storage (`/blob/{account}`). It believes nothing that it does not check: assertions against
 * the keys that the issuer publishes, its own tokens, and signatures of addresses by Azure's SDK.
 */
export class AzureDouble extends LoopbackServer {
  readonly entra: EntraDouble;
  readonly manager = new ManagerDouble();
  /** The requests for blobs, in order. */
  readonly blobRequests: SentRequest[] = [];
  readonly #secret: Buffer;

  private constructor(server: Server) {
    super(server);
    this.#secret = randomBytes(32);
    this.entra = new EntraDouble(this.#secret);
    server.on("request", (request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<AzureDouble> {
    return new AzureDouble(await listening());
  }

  /** As the key `clouds.azure` of the provision file takes them. */
  get endpoints(): { login: string; management: string; blob: string } {
    const { origin } = this;
    return {
      login: `${origin}/login`,
      management: `${origin}/manage`,
      blob: `${origin}/blob/{account}`,
    };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat((await Array.fromAsync(request)) as Buffer[]);
    const [rawPath = "", query = ""] = (request.url ?? "").split("?");
    let reply: DoubleReply;
    try {
      reply = await this.#answer(request, decodeURIComponent(rawPath), query, body);
    } catch (error) {
      if (!(error instanceof BlobRefusal)) throw error;
      const text = `<?xml version="1.0" encoding="utf-8"?><Error><Code>${error.code}</Code><Message>No.</Message></Error>`;
      const headers = { "x-ms-error-code": error.code, "content-type": "application/xml" };
      reply = { status: error.status, headers, body: text };
    }
    const bytes = Buffer.from(reply.body ?? "");
    const length = { "content-length": String(bytes.length) };
    response.writeHead(reply.status, reply.status === 204 ? {} : { ...length, ...reply.headers });
    response.end(request.method === "HEAD" ? undefined : bytes);
  }

  async #answer(
    request: IncomingMessage,
    path: string,
    query: string,
    body: Buffer,
  ): Promise<DoubleReply> {
    const method = request.method ?? "";
    const [, tenantId] = /^\/login\/([^/]+)\/oauth2\/v2\.0\/token$/.exec(path) ?? [];
    if (tenantId !== undefined && method === "POST")
      return this.entra.answer(tenantId, new URLSearchParams(body.toString()));
    if (path.startsWith("/manage/")) {
      const application = await this.#bearer(request, "https://management.azure.com");
      const inner = { method, path: path.slice("/manage".length), query, body };
      return this.manager.answer(application, `${this.origin}/manage`, inner);
    }
    const [, account, container = "", key = ""] =
      /^\/blob\/([a-z0-9]+)(?:\/([^/]*)(?:\/(.+))?)?$/.exec(path) ?? [];
    if (account === undefined) return { status: 404 };
    const { url = "", headers } = request;
    this.blobRequests.push({ method, url, headers, body: body.toString() });
    return this.#answerBlob(request, account, {
      method,
      container,
      key,
      query: new URLSearchParams(query),
      headers: request.headers,
      body,
    });
  }

  async #answerBlob(
    request: IncomingMessage,
    name: string,
    blob: Parameters<typeof answerBlobRequest>[1],
  ): Promise<DoubleReply> {
    const account = this.manager.accounts.get(name);
    if (account === undefined) throw new BlobRefusal(404, "ResourceNotFound");
    const { query, method, container, key } = blob;
    if (query.has("sig")) {
      const address = { account: name, container, key, query, method };
      const times = { isPlain: true, nowMs: Date.now() };
      const refusal = refusalOfSignature({ ...address, ...times }, this.#secret);
      if (refusal !== undefined || key === "") throw new BlobRefusal(403, "AuthenticationFailed");
      return answerBlobRequest(account.blobs, blob);
    }
    const application = await this.#allowed(request, account, method, query);
    if (query.get("comp") === "userdelegationkey") return this.#delegation(application, blob.body);
    return answerBlobRequest(account.blobs, blob);
  }

  async #allowed(
    request: IncomingMessage,
    account: StorageAccount,
    method: string,
    query: URLSearchParams,
  ): Promise<AzureApplication> {
    const application = await this.#bearer(request, "https://storage.azure.com");
    if (application === undefined) throw new BlobRefusal(401, "InvalidAuthenticationInfo");
    if (request.headers["x-ms-version"] === undefined)
      throw new BlobRefusal(400, "MissingRequiredHeader");
    const isThere =
      application.subscriptionId === account.subscriptionId &&
      application.resourceGroup === account.resourceGroup;
    const isOwner = application.roles.includes("Storage Blob Data Owner");
    const isContributor = isOwner || application.roles.includes("Storage Blob Data Contributor");
    const isVersionDelete = method === "DELETE" && query.has("versionid");
    if (!isThere || !(isVersionDelete ? isOwner : isContributor))
      throw new BlobRefusal(403, "AuthorizationPermissionMismatch");
    return application;
  }

  #delegation({ clientId, tenantId }: AzureApplication, body: Buffer): DoubleReply {
    const text = body.toString();
    const [start = "", expiry = ""] = ["Start", "Expiry"].map(
      (name) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? "",
    );
    const lifeMs = Date.parse(expiry) - Date.now();
    if (!(lifeMs > 0 && lifeMs <= 7 * 86_400_000) || Number.isNaN(Date.parse(start)))
      throw new BlobRefusal(400, "InvalidXmlNodeValue");
    const described = [clientId, tenantId, start, expiry, "b", "2020-12-06"];
    const names = ["Oid", "Tid", "Start", "Expiry", "Service", "Version"];
    const members = names.map((name, at) => `<Signed${name}>${described[at]}</Signed${name}>`);
    const value = keyValue(this.#secret, described).toString("base64");
    const xml = `<?xml version="1.0" encoding="utf-8"?><UserDelegationKey>${members.join("")}<Value>${value}</Value></UserDelegationKey>`;
    return { status: 200, headers: { "content-type": "application/xml" }, body: xml };
  }

  async #bearer(request: IncomingMessage, resource: string): Promise<AzureApplication | undefined> {
    const [, token] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "") ?? [];
    return token === undefined ? undefined : this.entra.applicationOf(token, resource);
  }
}
