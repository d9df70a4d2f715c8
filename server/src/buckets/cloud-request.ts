import { gather } from "../ground/gather.ts";
import { StoreError } from "./bucket.ts";

/**
 * One request to an interface of Azure or Google Cloud. Never holds text that a person typed:
 * addresses are made of checked words.
 */
export interface CloudRequest {
  /** Name of the operation, for people. */
  operation: string;
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array<ArrayBuffer>;
  deadlineMs: number;
  /** Aborted, it fails the calls under way; with the end of a longer piece of work, for one. */
  signal?: AbortSignal | undefined;
  replyBytesMax?: number;
}

export interface CloudReply {
  status: number;
  headers: Headers;
  /** Body of the reply; empty where that of an error is too long. */
  body: Buffer<ArrayBuffer>;
}

/**
 * Sends one request and reads its whole reply, of any status; no redirect is followed. Rejects with
 * a transient StoreError when there is no reply within the deadline.
 */
export async function sendToCloud(request: CloudRequest): Promise<CloudReply> {
  const { operation, method, url, headers = {}, body, deadlineMs, signal } = request;
  const deadline = AbortSignal.timeout(deadlineMs);
  const signals = signal === undefined ? [deadline] : [deadline, signal];
  try {
    const reply = await fetch(url, {
      method,
      headers,
      body: body ?? null,
      redirect: "manual",
      signal: AbortSignal.any(signals),
    });
    const wholeBytesMax = request.replyBytesMax ?? usualReplyBytesMax;
    const bytesMax = reply.status < 300 ? wholeBytesMax : usualReplyBytesMax;
    const bytes = await gather(reply.body ?? [], bytesMax);
    // Where an error is longer than errors are, its status says enough.
    if (bytes === undefined && reply.status < 300) throw tooLarge(operation);
    return { status: reply.status, headers: reply.headers, body: bytes ?? Buffer.alloc(0) };
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const isLate = deadline.aborted || (signal !== undefined && isOver(signal));
    const code = isLate ? "timeout" : signal?.aborted === true ? "closed" : wordOf(error);
    throw new StoreError(
      code,
      code !== "certificate",
      `The cloud did not answer ${operation}: ${code}.`,
    );
  }
}

export function tooLarge(operation: string): StoreError {
  const message = `The cloud's reply to ${operation} is too large.`;
  return new StoreError("reply too large", false, message);
}

/** Whether the time of an AbortSignal.timeout is over. */
function isOver({ reason }: AbortSignal): boolean {
  return reason instanceof Error && reason.name === "TimeoutError";
}

/** An error has no more, nor has any reply that tells of one thing. */
const usualReplyBytesMax = 64 * 1024;

/** Returns words that are safe to show: the system's message may quote the address. */
function wordOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (/CERT|TLS|SSL|UNABLE_TO|SELF_SIGNED/.test(code)) return "certificate";
  if (/ENOTFOUND|EAI_AGAIN/.test(code)) return "unknown host";
  if (/HOSTUNREACH|NETUNREACH/.test(code)) return "unreachable";
  if (code === "ECONNREFUSED") return "refused";
  if (/TIMEOUT|TIMEDOUT/.test(code)) return "timeout";
  return "connection lost";
}
