import type { FastifyRequest } from "fastify";
import { senderOf } from "../limits/client-address.ts";
import { holderOf } from "../callers/credentials.ts";
import type { HttpContext } from "../http-context.ts";
import type { BodyAllowance } from "./whole-body.ts";

/**
 * Returns the budget from which the body of a request is taken. A request without a credential has
 * one of its own, so that strangers take nothing from callers with credentials.
 */
export function bodyAllowance(
  { limits: { budget, openBudget }, bodies: { watch } }: HttpContext,
  { caller, ip }: Pick<FastifyRequest, "caller" | "ip">,
): BodyAllowance {
  return caller === undefined
    ? { budget: openBudget, holder: senderOf(ip), watch }
    : { budget, holder: holderOf(caller), watch };
}
