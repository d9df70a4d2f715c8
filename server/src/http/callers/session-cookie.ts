import type { FastifyRequest } from "fastify";
import { isSecretOf } from "../../ground/secrets.ts";
import type { HttpContext } from "../http-context.ts";

type Addressed = Pick<HttpContext, "baseUrl">;

/** The header that keeps a session in the browser, out of reach of scripts. */
export function makeSessionCookie(context: Addressed, secret: string, lifetimeMs: number): string {
  return cookie(context, secret, Math.floor(lifetimeMs / 1_000));
}

/** The header that makes the browser forget it. */
export function clearSessionCookie(context: Addressed): string {
  return cookie(context, "", 0);
}

/** The secret in a request's session cookie; two of the name, or another kind of secret: none. */
export function readSessionCookie(
  context: Addressed,
  { headers }: Pick<FastifyRequest, "headers">,
): string | undefined {
  const name = cookieName(context);
  const found = (headers.cookie ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [secret] = found;
  return found.length === 1 && isSecretOf(secret, "as_") ? secret : undefined;
}

/** `__Host-` binds it to this host, https and the whole path: a sibling domain cannot plant one. */
function cookieName(context: Addressed): string {
  return isSecure(context) ? "__Host-lossless" : "lossless_session";
}

function isSecure({ baseUrl }: Addressed): boolean {
  return baseUrl().startsWith("https:");
}

function cookie(context: Addressed, value: string, lifetimeSeconds: number): string {
  const secure = isSecure(context) ? "; Secure" : "";
  return `${cookieName(context)}=${value}; Path=/; Max-Age=${lifetimeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}
