import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { receiveBody, type BodyOptions } from "./body.ts";
import { checkChecksums, checkPayload } from "./checksums.ts";
import type { Reply, StoreState } from "./exchange.ts";
import type { Fault, FaultKind, FaultPlan } from "./faults.ts";
import { handlers } from "./handlers.ts";
import { operationOf, type Operation } from "./operation.ts";
import type { LoggedRequest, RequestLog } from "./request-log.ts";
import { readTarget, type RequestTarget } from "./request-target.ts";
import { S3Error, type ErrorCode } from "./s3-error.ts";
import { sendReply } from "./send-reply.ts";
import { verify, type Credentials, type UnverifiedRequest, type Verified } from "./signature.ts";
import { printXml } from "./xml.ts";

export interface AnswerOptions {
  state: StoreState;
  credentials: readonly Credentials[];
  domain: string;
  bodies: Omit<BodyOptions, "wantsSha256">;
  faults: FaultPlan;
  log: RequestLog;
  /** Who may ask, where that is no signature of AWS: throws S3Error (the double of Google). */
  admission?: (request: UnverifiedRequest, operation: Operation | undefined) => Verified;
}

/** A request that may be done: signed, and of a known operation. */
interface Admitted extends RequestTarget {
  operation: Operation;
  headers: ReadonlyMap<string, string>;
  verified: Verified;
}

/** One request from its head to its answer: signature, fault, body, operation. */
export async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: AnswerOptions,
): Promise<void> {
  const entry = newEntry(request);
  options.log.add(entry);
  const reply = (given: Reply, fault?: Fault) => {
    entry.status = given.status;
    response.setHeader("x-amz-request-id", crypto.randomUUID());
    response.setHeader("date", new Date(options.state.nowMs()).toUTCString());
    return sendReply(response, given, fault, request.method === "HEAD");
  };
  let admitted: Admitted;
  try {
    admitted = admit(request, entry, options);
  } catch (error) {
    await drain(request);
    return reply(errorReply(error, entry));
  }
  const fault = options.faults.draw({ ...entry, operation: admitted.operation });
  entry.fault = fault?.kind;
  if (fault?.kind === "latency") await sleep(fault.latencyMs);
  if (fault?.kind === "lostRequest") return void request.socket.destroy();
  if (fault?.kind === "hang") return request.resume() && ended(response);
  const instead = faultReply(answersWithoutDoing, fault, entry);
  if (instead !== undefined) {
    await drain(request);
    return reply(instead);
  }
  const done = await perform(request, admitted, entry, options);
  if (done === undefined) return;
  if (fault?.kind === "lostReply") return void request.socket.destroy();
  if (fault?.kind === "doneButHang") return ended(response);
  return reply(faultReply(answersAfterDoing, fault, entry) ?? done, fault);
}

function admit(request: IncomingMessage, entry: LoggedRequest, options: AnswerOptions): Admitted {
  const { headers } = entry;
  const method = entry.method;
  const host = headers.get("host") ?? "";
  const target = readTarget(entry.target, host, options.domain);
  const { bucket, key, query } = target;
  const named = new Map(query);
  const part = named.get("partNumber");
  Object.assign(entry, { bucket, key, uploadId: named.get("uploadId") });
  entry.partNumber = part === undefined ? undefined : Number(part);
  entry.presigned = named.has("X-Amz-Signature") || named.has("X-Goog-Signature");
  let refusal: unknown;
  try {
    entry.operation = operationOf(method, key !== "", query);
  } catch (error) {
    refusal = error;
  }
  // Who may not ask at all does not learn whether the question was understood.
  const { credentials, state } = options;
  const unverified = { ...target, method, headers };
  const verified =
    options.admission?.(unverified, entry.operation) ??
    verifyInDialect(unverified, credentials, state);
  if (entry.operation === undefined) throw refusal;
  checkAccount(entry.operation, target, headers, verified.credentials, state);
  if (request.method === "PUT" && !headers.has("content-length"))
    throw new S3Error("MissingContentLength");
  return { ...target, operation: entry.operation, headers, verified };
}

/** Whether the role's policy allows it, and whose bucket it is. */
function checkAccount(
  operation: Operation,
  { bucket, key }: RequestTarget,
  headers: ReadonlyMap<string, string>,
  { account, allows }: Partial<Credentials> = {},
  { buckets }: StoreState,
): void {
  const found = buckets.get(bucket);
  if (allows?.(operation, bucket, key, found?.owner) === false) throw new S3Error("AccessDenied");
  if (found === undefined || operation === "CreateBucket") return;
  const expected = headers.get("x-amz-expected-bucket-owner") ?? found.owner;
  if (expected !== found.owner || account !== found.owner) throw new S3Error("AccessDenied");
}

function verifyInDialect(
  request: Parameters<typeof verify>[0],
  credentials: readonly Credentials[],
  state: StoreState,
): Verified {
  try {
    return verify(request, { credentials, region: state.region, nowMs: state.nowMs() });
  } catch (error) {
    const isCeph = state.dialect.signatureCodes === "ceph" && error instanceof S3Error;
    if (isCeph && ["ExpiredToken", "InvalidToken"].includes(error.code))
      throw new S3Error("AccessDenied");
    throw error;
  }
}

/** Undefined when the client broke off before its body was whole: then nothing was done. */
async function perform(
  request: IncomingMessage,
  admitted: Admitted,
  entry: LoggedRequest,
  { bodies, state }: AnswerOptions,
): Promise<Reply | undefined> {
  const { operation, bucket, key, headers, verified } = admitted;
  const query = new Map(admitted.query);
  const wantsSha256 = verified.payloadSha256 !== null;
  const body = await receiveBody(request, { ...bodies, wantsSha256 }).catch(() => undefined);
  if (body === undefined) return undefined;
  entry.bodyBytes = body.sizeBytes;
  try {
    checkPayload(body, verified);
    await checkChecksums(body, headers, query);
    return await handlers[operation]({
      operation,
      bucket,
      key,
      query,
      headers,
      body,
      account: verified.credentials?.account,
      store: state,
    });
  } catch (error) {
    await body.discard();
    return errorReply(error, entry);
  }
}

/** The kinds of faults that are answers, and what they answer. */
const answersWithoutDoing: Partial<Record<FaultKind, [code: ErrorCode, status?: number]>> = {
  slowDown: ["SlowDown"],
  internalError: ["InternalError"],
  requestTimeTooSkewed: ["RequestTimeTooSkewed"],
  errorInBody: ["InternalError", 200],
};
const answersAfterDoing: typeof answersWithoutDoing = {
  doneButErrorInBody: ["InternalError", 200],
  doneButNoSuchUpload: ["NoSuchUpload"],
  doneButInternalError: ["InternalError"],
};

function faultReply(
  answers: typeof answersWithoutDoing,
  fault: Fault | undefined,
  entry: LoggedRequest,
): Reply | undefined {
  const [code, status] = (fault && answers[fault.kind]) ?? [];
  if (code === undefined) return undefined;
  return errorReply(new S3Error(code, "A planted fault.", status), entry);
}

function errorReply(error: unknown, entry: LoggedRequest): Reply {
  if (!(error instanceof S3Error)) throw error;
  entry.code = error.code;
  const tree = { Code: error.code, Message: error.message, Resource: `/${entry.bucket}` };
  return { status: error.status, body: printXml("Error", tree) };
}

function newEntry(request: IncomingMessage): LoggedRequest {
  return {
    operation: undefined,
    method: request.method ?? "",
    target: request.url ?? "",
    headers: headersOf(request),
    bucket: "",
    key: "",
    partNumber: undefined,
    uploadId: undefined,
    presigned: false,
    bodyBytes: 0,
    status: undefined,
    code: undefined,
    fault: undefined,
  };
}

/** All values of a repeated header count, which `request.headers` does not promise. */
function headersOf({ rawHeaders }: IncomingMessage): Map<string, string> {
  const headers = new Map<string, string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    const before = headers.get(name);
    const value = rawHeaders[index + 1] ?? "";
    headers.set(name, before === undefined ? value : `${before},${value}`);
  }
  return headers;
}

/** Takes the body in before a refusal, so that the client reads an answer and not a broken pipe. */
function drain(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    if (request.readableEnded) resolve();
    request.once("end", resolve).once("close", resolve).resume();
  });
}

function ended(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once("close", resolve);
  });
}
