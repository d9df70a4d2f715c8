import { once } from "node:events";
import { type AgentMessage, limits } from "@lossless/protocol";
import type { FastifyRequest } from "fastify";
import { ServiceError } from "../../ground/errors.ts";
import { readEndpointBody } from "../bodies/endpoint-body.ts";
import { ClientGone } from "../bodies/client-gone.ts";
import { notAuthenticated } from "../callers/caller.ts";
import { holderOf } from "../callers/credentials.ts";
import type { HttpContext } from "../http-context.ts";
import { sendJson } from "../replies/replies.ts";
import type { Route } from "../route.ts";

/** Answers agents. What the protocol needs is loaded by the first message. */
export const agents: Record<"mcp" | "mcpWrite", Route> = {
  mcp: routeOf("mcp"),
  mcpWrite: routeOf("mcpWrite"),
};

function routeOf(name: "mcp" | "mcpWrite"): Route {
  return async (context, request, reply) => {
    requireOwnOrigin(context, request);
    using _share = shareOf(context, request);
    const message = (await readEndpointBody(context, request, name)) as AgentMessage;
    requireShort(message);
    const gone = new AbortController();
    reply.raw.once("close", () => gone.abort());
    if (reply.raw.destroyed) throw new ClientGone();
    const { answerMessage } = await import("./tool-server.ts");
    const answer = answerMessage({
      message,
      asker: {
        headers: request.headers,
        address: request.ip,
        requestId: request.id,
        gone: gone.signal,
      },
      writes: name === "mcpWrite",
      server: request.server.server,
      baseUrl: context.baseUrl(),
      log: context.log,
    });
    // An answer that nobody waits for may never come.
    const response = await Promise.race([answer, once(gone.signal, "abort")]);
    if (Array.isArray(response)) throw new ClientGone();
    const text = await response.text();
    if (text === "") void reply.code(response.status).send();
    else sendJson(reply, text, response.status);
  };
}

/** Requires that a browser was not sent here by another page, as the protocol wants (T21). */
function requireOwnOrigin({ limits: { guards } }: HttpContext, { headers }: FastifyRequest): void {
  const { origin, host } = headers;
  if (origin === undefined || guards.isOwnOrigin(origin, host)) return;
  throw new ServiceError("forbidden", "A page of another address may not act as an agent here.");
}

/**
 * Requires that a message has few bytes beside the arguments of a tool, which its schema bounds: it
 * is kept while the tool waits.
 */
function requireShort({ params = {} }: AgentMessage): void {
  const bytesMax = limits.agentParamsBytesMax;
  if (Buffer.byteLength(JSON.stringify({ ...params, arguments: undefined })) <= bytesMax) return;
  const sentence = `params must have at most ${bytesMax} bytes beside the arguments of a tool.`;
  throw new ServiceError("bad_request", sentence);
}

function shareOf({ limits: { agentCalls } }: HttpContext, request: FastifyRequest): Disposable {
  if (request.caller === undefined) throw notAuthenticated(request);
  const share = agentCalls.take(holderOf(request.caller));
  if (share !== undefined) return share;
  throw new ServiceError(
    "overloaded",
    "Too many requests of the organization's agents are being answered; try again.",
  );
}
