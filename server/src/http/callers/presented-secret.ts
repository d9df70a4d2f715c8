import type { FastifyRequest } from "fastify";
import type { HttpContext } from "../http-context.ts";
import { readGuestCookie, readSessionCookie } from "./session-cookie.ts";

/** The credential of a request, and whether the browser sent it by itself, as a cookie. */
export interface PresentedCredential {
  secret: string | undefined;
  isCookie: boolean;
}

/**
 * Returns the credential of a request. An Authorization header counts alone, even an invalid one:
 * the cookie is for requests without. For MLflow's clients, which may send Basic, the cookie never
 * counts: no page acts for a person there.
 */
export function presentedCredential(
  context: Pick<HttpContext, "baseUrl">,
  request: Pick<FastifyRequest, "headers">,
  mayBeBasic = false,
): PresentedCredential {
  const { authorization } = request.headers;
  if (mayBeBasic) {
    const header = authorization ?? "";
    return { secret: bearer(header) ?? password(header), isCookie: false };
  }
  if (authorization !== undefined) return { secret: bearer(authorization), isCookie: false };
  // Who is signed in is no guest.
  const secret = readSessionCookie(context, request) ?? readGuestCookie(context, request);
  return { secret, isCookie: secret !== undefined };
}

function bearer(header: string): string | undefined {
  return /^bearer +([\x21-\x7e]{1,1024}) *$/i.exec(header)?.[1];
}

/** Returns the password of Basic (RFC 7617); the user name is ignored. */
function password(header: string): string | undefined {
  const encoded = /^basic +([A-Za-z0-9+/=_-]{1,2048}) *$/i.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString("latin1");
  return /^[^:]*:([\x21-\x7e]{1,1024})$/.exec(text)?.[1];
}
