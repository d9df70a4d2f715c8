import type { FastifyRequest } from "fastify";
import { ServiceError } from "../../ground/errors.ts";
import type { SignedObjects } from "../../places/stores/signed-objects.ts";
import type { HttpContext } from "../http-context.ts";

export function servedObjects({ served }: FastifyRequest): SignedObjects {
  if (served === undefined) throw new Error("BUG: a route of objects runs without storage");
  return served.objects;
}

/** Returns the object's key from the path. Faults of the path fail with the signature. */
export function objectKey({ params }: FastifyRequest): string {
  const { organization, upload, file } = params as Record<string, string>;
  return `${organization}/${upload}/${file}`;
}

/**
 * Checks the host, which is signed as stores sign it (T12). A proxy in front of us may send its own
 * name for us instead of the client's; there is a proxy when --base-url is not the address that we
 * listen at.
 */
export function requireSignedHost(context: HttpContext, { headers }: FastifyRequest): void {
  const signed = new URL(context.baseUrl()).host;
  if (headers.host?.toLowerCase() === signed || context.settings.baseUrl !== undefined) return;
  throw new ServiceError("forbidden", "The address was signed for another host.");
}
