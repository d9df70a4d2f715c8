import type { FastifyReply, FastifyRequest } from "fastify";
import type { IssuerDocuments } from "../../issuer/issuer.ts";
import { sendJson } from "../replies.ts";
import type { HttpContext } from "../http-context.ts";
import type { Route } from "../route.ts";

/** `GET /.well-known/openid-configuration` */
export const readIssuer: Route = (context, request, reply) =>
  sendDocument(context, request, reply, "configuration");

/** `GET /.well-known/jwks.json`. A key is in it for a day before it signs: an hour in a cache does no harm. */
export const readIssuerKeys: Route = (context, request, reply) =>
  sendDocument(context, request, reply, "keys");

async function sendDocument(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  name: keyof IssuerDocuments,
): Promise<void> {
  const { issuer } = request.served ?? context.state.served();
  const documents = await issuer.documents();
  void reply.header("cache-control", "public, max-age=3600");
  sendJson(reply, JSON.stringify(documents[name]));
}
