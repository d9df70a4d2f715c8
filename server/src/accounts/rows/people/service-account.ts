import type { ServiceAccount } from "@lossless/protocol";
import { requireRole } from "../../../database/access/role.ts";
import { type Actor, audit } from "../../../database/audit/audit.ts";
import type { Moment } from "../../../ground/clock.ts";
import type { Transaction } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import { noPassword } from "./no-password.ts";
import { insertPerson, namesakeEmail } from "./person.ts";

/**
 * `serviceAccount.create`, by an admin. The name has no @, so no sign-in ever finds the account.
 */
export async function createServiceAccount(
  transaction: Transaction,
  input: { organizationId: string } & Pick<ServiceAccount, "name" | "role"> & Actor,
  moment: Moment,
): Promise<ServiceAccount> {
  const { organizationId, name, role, actor, address } = input;
  await requireRole(transaction, organizationId, actor, "admin");
  const stored = namesakeEmail(name, organizationId);
  const made = await insertPerson(transaction, { email: stored, password: noPassword() }, moment);
  if (made === undefined) {
    throw new ServiceError(
      "conflict",
      "The organization has, or had, a service account of this name; choose another one.",
    );
  }
  await transaction.run("UPDATE person SET is_service = 1 WHERE id = $1", made.id);
  await transaction.run(
    "INSERT INTO membership (organization, person, role, created_at_ms) VALUES ($1, $2, $3, $4)",
    organizationId,
    made.id,
    role,
    moment.nowMs,
  );
  const entry = { organizationId, actor, address, subject: made.id };
  const action = "serviceAccount.created";
  await audit(transaction, { ...entry, action, details: { name, role } }, moment);
  return { id: made.id, name, role };
}
