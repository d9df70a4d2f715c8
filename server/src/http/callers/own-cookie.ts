import type { FastifyRequest } from "fastify";
import { basePathOf } from "../../ground/base-address.ts";
import type { HttpContext } from "../http-context.ts";

type Addressed = Pick<HttpContext, "baseUrl">;

/** The cookies by content, each with its name where the service is secure and where it is not. */
const names = {
  session: { secure: "lossless", plain: "lossless_session" },
  guest: { secure: "lossless-guest", plain: "lossless_guest" },
  signOn: { secure: "lossless-sign-on", plain: "lossless_sign_on" },
} as const;

/**
 * Returns the header that keeps a value in the browser, out of reach of scripts; a lifetime of 0
 * deletes it.
 */
export function makeOwnCookie(
  context: Addressed,
  kept: keyof typeof names,
  value: string,
  lifetimeMs: number,
): string {
  const base = context.baseUrl();
  const secure = isSecure(base) ? "; Secure" : "";
  const age = Math.floor(lifetimeMs / 1_000);
  const path = basePathOf(base) || "/";
  return `${cookieName(base, kept)}=${value}; Path=${path}; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`;
}

/**
 * Returns the value of a request's cookie; undefined when two have the name, since it is unknown
 * which is ours.
 */
export function readOwnCookie(
  context: Addressed,
  kept: keyof typeof names,
  { headers }: Pick<FastifyRequest, "headers">,
): string | undefined {
  const start = `${cookieName(context.baseUrl(), kept)}=`;
  const found = (headers.cookie ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start));
  return found.length === 1 ? found[0].slice(start.length) : undefined;
}

/**
 * Returns the name of a cookie. `__Host-` binds it to this host, https and the whole path: a
 * sibling domain cannot plant one. Where the service has a path the cookie is sent below it only,
 * which that prefix does not allow; the path is in its name, too, since a browser also sends
 * cookies of the paths above.
 */
function cookieName(base: string, kept: keyof typeof names): string {
  const { secure, plain } = names[kept];
  const path = basePathOf(base).replaceAll("/", "-");
  if (!isSecure(base)) return plain + path;
  return path === "" ? `__Host-${secure}` : `__Secure-${secure}${path}`;
}

function isSecure(base: string): boolean {
  return base.startsWith("https:");
}
