import type { Role } from "@lossless/protocol";
import { isAtLeast } from "../../rights.ts";

/** Whether a role may give or remove another one, or invite to it: only owners affect owners. */
export function mayChange(own: Role | null, other: Role): boolean {
  return isAtLeast(own, other === "owner" ? "owner" : "admin");
}
