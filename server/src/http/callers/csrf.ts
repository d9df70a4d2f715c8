import { createHmac, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { type EndpointName, endpoints } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import { inFormOf } from "./authorize.ts";
import type { ClientLimits } from "../limits/client-limits.ts";

/**
 * Returns the token that one of our pages shows for a request that its cookie authenticates. It is
 * derived from the session's secret, which no other page can read, so nothing is stored; the secret
 * cannot be derived from it.
 */
export function csrfTokenOf(secret: string): string {
  return createHmac("sha256", secret).update("lossless csrf").digest("base64url");
}

export function isCsrfTokenOf(secret: string, token: unknown): boolean {
  if (typeof token !== "string") return false;
  const [presented, expected] = [Buffer.from(token), Buffer.from(csrfTokenOf(secret))];
  return presented.length === expected.length && timingSafeEqual(presented, expected);
}

/**
 * Whether a browser sent the request from one of our pages, judged by the headers that browsers
 * add; other clients send none of them. A page with `Referrer-Policy: no-referrer` sends `Origin:
 * null`: then Sec-Fetch-Site has to vouch.
 */
export function isSameOrigin(
  { guards }: Pick<ClientLimits, "guards">,
  { headers }: Pick<FastifyRequest, "headers">,
): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  const { origin } = headers;
  if (origin === undefined) return true;
  if (origin === "null") return site === "same-origin";
  return guards.isOwnOrigin(origin, headers.host);
}

/**
 * Requires that a request that may change something comes from one of our pages and shows that
 * page's token: a browser sends its cookie regardless of which page caused the request (T21).
 * Throws `forbidden`, in v2 `unauthorized`.
 */
export function requireOwnPage(
  limits: Pick<ClientLimits, "guards">,
  name: EndpointName,
  request: Pick<FastifyRequest, "headers" | "method">,
  secret: string | undefined,
): void {
  if (request.method === "GET" || request.method === "HEAD") return;
  const token = request.headers["x-csrf-token"];
  const isOwn =
    secret !== undefined && isSameOrigin(limits, request) && isCsrfTokenOf(secret, token);
  if (isOwn) return;
  const sentence =
    "A request with the session cookie needs the header x-csrf-token, from a page of this service.";
  throw inFormOf(endpoints[name], new ServiceError("forbidden", sentence));
}
