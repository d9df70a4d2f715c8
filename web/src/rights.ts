import { roles } from "@lossless/protocol/roles";
import type { Role } from "@lossless/protocol";
import type { Service } from "./signed-in.ts";

/**
 * Whether a role includes the rights of `least`. Only decides what is drawn; the service checks by
 * itself.
 */
export function isAtLeast(role: Role | null, least: Role): boolean {
  return role !== null && roles.indexOf(role) <= roles.indexOf(least);
}

/** Whether the reader may change what is recorded: viewers only read. */
export function mayWrite({ session }: Pick<Service, "session">): boolean {
  return isAtLeast(session.role, "member");
}
