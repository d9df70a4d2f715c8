import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { listening, LoopbackServer } from "../../loopback.ts";
import { answer } from "../../stores/double/answer.ts";
import type { StoredBucket } from "../../stores/double/contents.ts";
import { dialectOf } from "../../stores/double/dialects.ts";
import type { StoreState } from "../../stores/double/exchange.ts";
import { FaultPlan } from "../../stores/double/faults.ts";
import type { Operation } from "../../stores/double/operation.ts";
import { RequestLog } from "../../stores/double/request-log.ts";
import { S3Error } from "../../stores/double/s3-error.ts";
import type { UnverifiedRequest, Verified } from "../../stores/double/signature.ts";
import { GoogleRefusal, type GoogleReply } from "./google-reply.ts";
import { answerBuckets, type JsonBucketState } from "./json-buckets.ts";
import type { GoogleProject } from "./project.ts";
import { accountThatSigned } from "./signed-address.ts";
import { GoogleTokens, type TokenLives } from "./tokens.ts";

export interface GoogleDoubleOptions extends Partial<TokenLives> {
  projects: readonly GoogleProject[];
  clock?: () => number;
}

/** The interfaces beside the store, which has operations of its own. */
export type GoogleOperation = "token" | "generateAccessToken" | "signBlob" | "buckets";

/**
 * The answer in place of the usual one; `hang` never answers, `done` does the work and then answers
 * so.
 */
export type GoogleFault = (GoogleReply | "hang") & { done?: boolean };

/**
 * Google's token exchange, service account credentials and Cloud Storage in this process, at one
 * address. It believes nothing: subject tokens are verified against the issuer's published keys,
 * access tokens have an end, each signed address is verified with the public key of its account,
 * and everything needs its permission.
 */
export class GoogleDouble extends LoopbackServer {
  readonly tokens: GoogleTokens;
  /** Belongs to the store, as the faults do. */
  readonly log = new RequestLog();
  readonly faults = new FaultPlan(undefined, undefined);
  /** How often each of the other interfaces was called. */
  readonly calls: Record<GoogleOperation, number> = {
    token: 0,
    generateAccessToken: 0,
    signBlob: 0,
    buckets: 0,
  };
  readonly #planned: { operation: GoogleOperation; fault: GoogleFault; times: number }[] = [];
  readonly #store: StoreState;
  readonly #json: JsonBucketState;
  readonly #projects: readonly GoogleProject[];

  private constructor(server: Server, options: GoogleDoubleOptions) {
    super(server);
    const clock = options.clock ?? Date.now;
    const { projects, federatedMs = 3_599_000, accessMs = 3_600_000 } = options;
    this.#projects = projects;
    this.tokens = new GoogleTokens(projects, clock, { federatedMs, accessMs });
    const buckets = new Map<string, StoredBucket>();
    this.#json = { projects, buckets, made: new Map() };
    this.#store = {
      buckets,
      dialect: dialectOf({ secondComplete: "no-such-upload", conditionalPut: false }),
      region: "auto",
      minPartBytes: 5 * 2 ** 20,
      // Google gives 1,000: a list of several pages takes less here.
      pageMost: 100,
      nowMs: clock,
    };
  }

  static async start(options: GoogleDoubleOptions): Promise<GoogleDouble> {
    const server = createServer();
    server.keepAliveTimeout = 0;
    const double = new GoogleDouble(await listening(server), options);
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      double.#answer(request, response).catch((error: unknown) => {
        process.emitWarning(
          `GoogleDouble: ${error instanceof Error ? error.stack : String(error)}`,
        );
        response.destroy();
      });
    });
    return double;
  }

  /** For the key `clouds.gcp` of the provision file. */
  get endpoints(): { sts: string; iamCredentials: string; storage: string } {
    return { sts: this.origin, iamCredentials: this.origin, storage: this.origin };
  }

  /** The next calls of this interface are answered so. */
  fail(operation: GoogleOperation, fault: GoogleFault, times = 1): void {
    this.#planned.push({ operation, fault, times });
  }

  bucket(name: string): StoredBucket | undefined {
    return this.#store.buckets.get(name);
  }

  /** Names and settings of the buckets that are there. */
  get buckets(): { name: string; body: Record<string, unknown> }[] {
    return [...this.#json.made].map(([name, { body }]) => ({ name, body }));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? "";
    const call = callOf(request.method ?? "", url);
    if (call === undefined) return this.#answerStore(request, response);
    const { operation } = call;
    this.calls[operation]++;
    const body = await bodyOf(request);
    const fault = this.#drawn(operation);
    if (fault === "hang") return;
    let reply: GoogleReply | undefined = fault?.done === true ? undefined : fault;
    try {
      reply ??= await this.#perform(call, request, body);
      if (fault?.done === true) reply = fault;
    } catch (error) {
      if (!(error instanceof GoogleRefusal)) throw error;
      reply = error.reply;
    }
    const text = reply.body === undefined ? "" : JSON.stringify(reply.body);
    response.writeHead(reply.status, { "content-type": "application/json" }).end(text);
  }

  async #perform(
    { operation, name, project }: Call,
    request: IncomingMessage,
    body: Record<string, unknown>,
  ): Promise<GoogleReply> {
    if (operation === "token") {
      if (request.headers.authorization !== undefined)
        throw GoogleRefusal.oauth("invalid_request", "No Authorization here.");
      return { status: 200, body: await this.tokens.exchange(body) };
    }
    const bearer = bearerOf(request.headers.authorization);
    if (operation === "buckets") {
      const member = this.tokens.holderOf(bearer);
      const method = request.method ?? "";
      return answerBuckets(this.#json, member, { method, name, project, body });
    }
    return { status: 200, body: this.tokens[operation](bearer, name, body) };
  }

  #answerStore(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return answer(request, response, {
      state: this.#store,
      credentials: [],
      domain: "storage.localhost",
      bodies: { directory: null, spillBytes: 0 },
      faults: this.faults,
      log: this.log,
      admission: (unverified, operation) =>
        this.#admit({ ...unverified, target: request.url ?? "" }, operation),
    });
  }

  /** Who asks, by token or by signed address, and whether that account may. */
  #admit(
    request: UnverifiedRequest & { target: string },
    operation: Operation | undefined,
  ): Verified {
    const { headers, bucket, key } = request;
    const presigned = request.query.some(([name]) => /^x-goog-/i.test(name));
    const authorization = headers.get("authorization");
    if (presigned === (authorization !== undefined)) throw new S3Error("AccessDenied");
    if ([...headers.keys()].some((name) => /^(x-amz-|amz-sdk-)/.test(name)))
      throw new S3Error("InvalidArgument", "Extension headers of another store.");
    const keyOf = (account: string) => this.tokens.publicKeyOf(account);
    const member = presigned
      ? `serviceAccount:${accountThatSigned(request, keyOf, this.#store.nowMs())}`
      : this.tokens.holderOf(bearerOf(authorization));
    if (member === undefined) throw new S3Error("AccessDenied", "The token is invalid.", 401);
    const resource = `projects/_/buckets/${bucket}${key === "" ? "" : `/objects/${key}`}`;
    const needed = (operation && permissions[operation]) ?? ["no such permission"];
    const missing = needed.find(
      (permission) => !this.#projects.some((one) => one.may(member, resource, permission)),
    );
    if (missing !== undefined) throw new S3Error("AccessDenied", `${missing} is missing.`);
    if (key.startsWith(".well-known/acme-challenge/")) throw new S3Error("InvalidArgument");
    return { presigned, payloadSha256: null, credentials: noAwsCredentials };
  }

  #drawn(operation: GoogleOperation): GoogleFault | undefined {
    const plan = this.#planned.find((one) => one.operation === operation && one.times > 0);
    if (plan === undefined) return undefined;
    plan.times--;
    return plan.fault;
  }
}

/** The store's handlers ask them for an account of AWS; buckets here belong to none. */
const noAwsCredentials = { accessKeyId: "none", secretAccessKey: "none" };

const sendPart = ["storage.multipartUploads.create", "storage.objects.create"];

const permissions: Partial<Record<Operation, readonly string[]>> = {
  ListObjectsV2: ["storage.objects.list"],
  PutObject: ["storage.objects.create"],
  GetObject: ["storage.objects.get"],
  HeadObject: ["storage.objects.get"],
  DeleteObject: ["storage.objects.delete"],
  CreateMultipartUpload: sendPart,
  UploadPart: sendPart,
  ListParts: ["storage.multipartUploads.listParts"],
  CompleteMultipartUpload: sendPart,
  AbortMultipartUpload: ["storage.multipartUploads.abort"],
  ListMultipartUploads: ["storage.multipartUploads.list"],
};

interface Call {
  operation: GoogleOperation;
  /** Names the service account or the bucket. */
  name: string;
  project: string;
}

/** Undefined for what is the store's: its XML interface. */
function callOf(method: string, target: string): Call | undefined {
  const url = new URL(target, "http://google");
  if (method === "POST" && url.pathname === "/v1/token")
    return { operation: "token", name: "", project: "" };
  const [, account, operation] =
    /^\/v1\/projects\/-\/serviceAccounts\/([^/:]+):(generateAccessToken|signBlob)$/.exec(
      url.pathname,
    ) ?? [];
  if (method === "POST" && account !== undefined && operation !== undefined)
    return {
      operation: operation as "generateAccessToken" | "signBlob",
      name: decodeURIComponent(account),
      project: "",
    };
  const [bucketPath, name = ""] = /^\/storage\/v1\/b(?:\/([^/]+))?$/.exec(url.pathname) ?? [];
  if (bucketPath === undefined) return undefined;
  const project = url.searchParams.get("project") ?? "";
  return { operation: "buckets", name: decodeURIComponent(name), project };
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  if (request.headers["content-type"] !== "application/json") {
    request.resume();
    return {};
  }
  return (await json(request)) as Record<string, unknown>;
}

function bearerOf(authorization: string | undefined): string {
  return /^Bearer (\S+)$/.exec(authorization ?? "")?.[1] ?? "";
}
