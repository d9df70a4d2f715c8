import { limits } from "@lossless/protocol/limits";
import type { FastifyRequest } from "fastify";

/**
 * Returns the name by which a browser or a program identifies itself, for the list of sign-ins; it
 * is not verified.
 */
export function deviceOf({ headers }: Pick<FastifyRequest, "headers">): string | null {
  const text = (headers["user-agent"] ?? "").trim().slice(0, limits.deviceCharactersMax);
  return text === "" ? null : text;
}
