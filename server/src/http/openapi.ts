import { openApiDocument } from "@lossless/protocol/openapi";
import { sendJson } from "./replies.ts";
import type { Route } from "./route.ts";

/** The same bytes for all, in memory once: the document says nothing of any organization (M2). */
const document = Buffer.from(JSON.stringify(openApiDocument()));

export const openapi: Route = async (_context, _request, reply) => sendJson(reply, document);
