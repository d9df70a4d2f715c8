import type { FastifyRequest } from "fastify";
import { isSecretOf } from "../../ground/secrets.ts";
import type { HttpContext } from "../http-context.ts";
import { makeOwnCookie, readOwnCookie } from "./own-cookie.ts";

type Addressed = Pick<HttpContext, "baseUrl">;

/** The header that keeps a session in the browser. */
export function makeSessionCookie(context: Addressed, secret: string, lifetimeMs: number): string {
  return makeOwnCookie(context, "session", secret, lifetimeMs);
}

/** The header that makes the browser forget it. */
export function clearSessionCookie(context: Addressed): string {
  return makeOwnCookie(context, "session", "", 0);
}

/** The secret in a request's session cookie; another kind of secret: none. */
export function readSessionCookie(
  context: Addressed,
  request: Pick<FastifyRequest, "headers">,
): string | undefined {
  const secret = readOwnCookie(context, "session", request);
  return secret !== undefined && isSecretOf(secret, "as_") ? secret : undefined;
}
