import type { FastifyRequest } from "fastify";
import type { HttpContext } from "../http-context.ts";
import { readSessionCookie } from "./session-cookie.ts";

/** The credential of a request, and whether its browser sent it without being asked to. */
export interface PresentedCredential {
  secret: string | undefined;
  isCookie: boolean;
}

/** An Authorization header counts alone, even a useless one: the cookie is for requests without. */
export function presentedCredential(
  context: Pick<HttpContext, "baseUrl">,
  request: Pick<FastifyRequest, "headers">,
): PresentedCredential {
  const { authorization } = request.headers;
  if (authorization !== undefined) return { secret: bearer(authorization), isCookie: false };
  const secret = readSessionCookie(context, request);
  return { secret, isCookie: secret !== undefined };
}

function bearer(header: string): string | undefined {
  return /^bearer +([\x21-\x7e]{1,1024}) *$/i.exec(header)?.[1];
}
