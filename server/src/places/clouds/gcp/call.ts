import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../../../buckets/bucket.ts";
import { sendToCloud } from "../../../buckets/cloud-request.ts";
import { parseJson } from "../json-reply.ts";
import { googleFailure, invalidReply } from "./failure.ts";

export interface GoogleCall {
  /** Name of the operation, for people. */
  operation: string;
  method: "GET" | "POST" | "DELETE";
  url: string;
  body?: object;
  bearer?: string;
}

/** Deadline of a call with all its attempts. */
export const callDeadlineMs = 30_000;

/**
 * Makes one call to a JSON interface, repeated after transient failures; all of these calls may be
 * repeated. Returns the reply's object, empty when there is no body. Throws StoreError.
 */
export async function callGoogle(
  call: GoogleCall,
  signal: AbortSignal = AbortSignal.timeout(callDeadlineMs),
): Promise<Record<string, unknown>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await callOnce(call, signal);
    } catch (error) {
      const isOver = signal.aborted || attempt === attemptsMax;
      if (!(error instanceof StoreError && error.transient) || isOver) throw error;
    }
    // Spread, for dozens of them may have been refused at the same moment.
    const pauseMs = pauseMsFirst * 2 ** (attempt - 1) * (0.5 + Math.random());
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

export async function callOnce(
  { operation, method, url, body, bearer }: GoogleCall,
  signal: AbortSignal = AbortSignal.timeout(callDeadlineMs),
): Promise<Record<string, unknown>> {
  const { status, body: bytes } = await sendToCloud({
    operation,
    method,
    url,
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    deadlineMs: callDeadlineMs,
    signal,
  });
  const value = parseJson(bytes);
  if (status < 200 || status > 299) throw googleFailure(operation, status, value);
  if (bytes.byteLength === 0) return {};
  if (typeof value !== "object" || value === null) throw invalidReply(operation);
  return value as Record<string, unknown>;
}

const attemptsMax = 4;
const pauseMsFirst = 400;
