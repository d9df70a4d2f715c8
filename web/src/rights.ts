import { roles } from "@lossless/protocol/roles";
import type { Role } from "@lossless/protocol";

/**
 * Whether somebody with the role may do what `least` is needed for. It says what is drawn; the
 * service decides by itself.
 */
export function isAtLeast(role: Role | null, least: Role): boolean {
  return role !== null && roles.indexOf(role) <= roles.indexOf(least);
}
