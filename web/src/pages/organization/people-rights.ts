import type { Role } from "@lossless/protocol";
import { isAtLeast } from "../../rights.ts";

/** Whether somebody with a role may give it, take it or invite to it: only owners touch owners. */
export function mayChange(own: Role | null, other: Role): boolean {
  return isAtLeast(own, other === "owner" ? "owner" : "admin");
}
