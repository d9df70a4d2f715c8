import type { FastifyRequest } from "fastify";
import type { HttpContext } from "../http-context.ts";

type Addressed = Pick<HttpContext, "baseUrl">;

/** Keeps what a browser has begun until its identity provider sends it back. */
export function makeSignOnCookie(context: Addressed, value: string, lifetimeMs: number): string {
  const secure = isSecure(context) ? "; Secure" : "";
  const age = Math.floor(lifetimeMs / 1_000);
  return `${cookieName(context)}=${value}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`;
}

export function clearSignOnCookie(context: Addressed): string {
  return makeSignOnCookie(context, "", 0);
}

/** Two of the name: none, since nobody knows which is ours. */
export function readSignOnCookie(
  context: Addressed,
  { headers }: Pick<FastifyRequest, "headers">,
): string | undefined {
  const start = `${cookieName(context)}=`;
  const found = (headers.cookie ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start));
  return found.length === 1 ? found[0].slice(start.length) : undefined;
}

/** `__Host-` as that of the session: a sibling domain cannot plant one. */
function cookieName(context: Addressed): string {
  return isSecure(context) ? "__Host-lossless-sign-on" : "lossless_sign_on";
}

function isSecure({ baseUrl }: Addressed): boolean {
  return baseUrl().startsWith("https:");
}
