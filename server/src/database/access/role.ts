import { roles } from "@lossless/protocol/roles";
import type { Role } from "@lossless/protocol";
import type { Reader, Transaction } from "../database.ts";
import { ServiceError } from "../../ground/errors.ts";
import { lockOrganization } from "./organization-lock.ts";

/** Whether the role includes the rights of `least`; a role that a later version made has none. */
export function isAtLeast(role: Role, least: Role): boolean {
  return roles.indexOf(least) >= roles.indexOf(role) && roles.includes(role);
}

/** The 403 for a person whose role does not suffice. */
export function roleNeeded(least: Role, role: Role): ServiceError {
  const own = role === "viewer" ? "viewer, which only reads" : role;
  return new ServiceError("forbidden", `This needs the role ${least}; yours is ${own}.`);
}

/**
 * Returns the present role of a person, or undefined when the person does not belong to the
 * organization. A person of another organization and an unknown one are the same.
 */
export async function roleOf(
  reader: Reader,
  organizationId: string,
  personId: string,
): Promise<Role | undefined> {
  const row = await reader.get<{ role: Role }>(
    "SELECT role FROM membership WHERE organization = $1 AND person = $2",
    organizationId,
    personId,
  );
  return row?.role;
}

/**
 * The role that the acting person has now, under lockOrganization: it may have changed since the
 * request began. A body may come minutes after the credential was looked at.
 */
export async function requireRole(
  transaction: Transaction,
  organizationId: string,
  personId: string,
  least: Role,
): Promise<Role> {
  await lockOrganization(transaction, organizationId);
  const role = await roleOf(transaction, organizationId, personId);
  if (role === undefined) {
    throw new ServiceError("forbidden", "You no longer belong to this organization.");
  }
  if (!isAtLeast(role, least)) throw roleNeeded(least, role);
  return role;
}
