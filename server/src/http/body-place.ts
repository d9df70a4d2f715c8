import type { FastifyRequest } from "fastify";
import { senderOf } from "./client-address.ts";
import { organizationIdOf } from "./callers/credentials.ts";
import type { Caller } from "./callers/credentials.ts";
import type { HttpContext } from "./http-context.ts";
import type { BodyPlace } from "./whole-body.ts";

/**
 * Whose budget the body of a request takes from. Without a credential it is one of its own, so that strangers take
 * nothing from those who have one.
 */
export function bodyPlace(
  { budget, openBudget, bodyWatch: watch }: HttpContext,
  { caller, ip }: Pick<FastifyRequest, "caller" | "ip">,
): BodyPlace {
  return caller === undefined
    ? { budget: openBudget, holder: senderOf(ip), watch }
    : { budget, holder: holderOf(caller), watch };
}

/** The organization; a person who has none yet is one alone. */
export function holderOf(caller: Caller): string {
  const organizationId = organizationIdOf(caller);
  if (organizationId !== undefined) return organizationId;
  return "personId" in caller ? caller.personId : "";
}
