import type { FastifyRequest } from "fastify";
import { isSecretOf } from "../../ground/secrets.ts";
import type { HttpContext } from "../http-context.ts";
import { makeOwnCookie, readOwnCookie } from "./own-cookie.ts";

type Addressed = Pick<HttpContext, "baseUrl">;

/** Returns the header that keeps a session in the browser. */
export function makeSessionCookie(context: Addressed, secret: string, lifetimeMs: number): string {
  return makeOwnCookie(context, "session", secret, lifetimeMs);
}

/** Returns the header that deletes the session from the browser. */
export function clearSessionCookie(context: Addressed): string {
  return makeOwnCookie(context, "session", "", 0);
}

/** Returns the header that keeps a guest link in the browser. */
export function makeGuestCookie(context: Addressed, secret: string, lifetimeMs: number): string {
  return makeOwnCookie(context, "guest", secret, lifetimeMs);
}

/** Returns the secret in a request's guest cookie; undefined for a secret of another kind. */
export function readGuestCookie(
  context: Addressed,
  request: Pick<FastifyRequest, "headers">,
): string | undefined {
  const secret = readOwnCookie(context, "guest", request);
  return secret !== undefined && isSecretOf(secret, "gl_") ? secret : undefined;
}

/** Returns the secret in a request's session cookie; undefined for a secret of another kind. */
export function readSessionCookie(
  context: Addressed,
  request: Pick<FastifyRequest, "headers">,
): string | undefined {
  const secret = readOwnCookie(context, "session", request);
  return secret !== undefined && isSecretOf(secret, "as_") ? secret : undefined;
}
