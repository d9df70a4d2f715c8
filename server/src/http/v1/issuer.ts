import type { FastifyReply } from "fastify";
import { endpointRoutes } from "../endpoint-routes.ts";

export const issuer = endpointRoutes({
  async readIssuer({ served, reply }) {
    const { configuration } = await served.issuer.documents();
    letCache(reply);
    return configuration;
  },

  async readIssuerKeys({ served, reply }) {
    const { keys } = await served.issuer.documents();
    letCache(reply);
    return keys;
  },
});

/**
 * Allows caching: a key is published for a day before it signs, so an hour in a cache does no harm.
 */
function letCache(reply: FastifyReply): void {
  void reply.header("cache-control", "public, max-age=3600");
}
