import { openApiDocument } from "@lossless/protocol/openapi";
import { type BasePath, belowBase } from "./base-path.ts";
import { sendJson } from "./replies/replies.ts";
import type { Route } from "./route.ts";

/**
 * The same bytes for all, made when the first caller asks: a fifth of a start, and few ask. The
 * document says nothing of any organization (M2).
 */
export function openApiText(base: BasePath): () => Buffer {
  let text: Buffer | undefined;
  return () =>
    (text ??= Buffer.from(
      JSON.stringify({ ...openApiDocument(), servers: [{ url: belowBase(base, "/") }] }),
    ));
}

export const openapi: Route = async ({ replies }, _request, reply) =>
  sendJson(reply, replies.openApi());
