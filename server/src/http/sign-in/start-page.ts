import { errors } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import type { Route } from "../route.ts";
import { homeAddress } from "./next-address.ts";
import { sendOn } from "./page.ts";

/**
 * `GET /`: redirects a browser to the pages. A program, such as a health check, is told their
 * address.
 */
export const startPage: Route = async (_context, { headers }, reply) => {
  void reply.header("vary", "accept");
  if (!/\btext\/html\b/i.test(headers.accept ?? "")) {
    const elsewhere = "GET /readyz says whether requests are served, /api/openapi.json how to ask.";
    throw new ServiceError("not_found", `${errors.not_found.sentence} ${elsewhere}`);
  }
  sendOn(reply, homeAddress);
};
