import type { FastifyReply } from "fastify";
import { v1 } from "./v1.ts";

export const issuer = v1({
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
