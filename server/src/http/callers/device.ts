import { limits } from "@lossless/protocol/limits";
import type { FastifyRequest } from "fastify";

/** What a browser or a program calls itself, for the list of sign-ins; anybody may call it so. */
export function deviceOf({ headers }: Pick<FastifyRequest, "headers">): string | null {
  const text = (headers["user-agent"] ?? "").trim().slice(0, limits.deviceCharactersMax);
  return text === "" ? null : text;
}
