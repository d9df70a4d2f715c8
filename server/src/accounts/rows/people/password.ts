import { audit } from "../../../database/audit/audit.ts";
import type { Moment } from "../../../ground/clock.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import { replacePassword } from "./person.ts";

/** The same error for an unknown address and a wrong password. */
export function wrongPassword(): ServiceError {
  return new ServiceError("unauthorized", "The e-mail address or the password is wrong.");
}

export async function readPassword(
  reader: Reader,
  { personId }: { personId: string },
): Promise<string | null> {
  const row = await reader.get<{ password: string }>(
    "SELECT password FROM person WHERE id = $1",
    personId,
  );
  return row?.password ?? null;
}

/**
 * Changes a password after the present one was verified. The session that asked goes on; all other
 * sign-ins by the old password end in the same transaction.
 */
export async function changePassword(
  transaction: Transaction,
  {
    personId,
    seenPassword,
    password,
    keptSession,
    address,
  }: {
    personId: string;
    seenPassword: string;
    password: string;
    keptSession: Uint8Array;
    address: string;
  },
  moment: Moment,
): Promise<void> {
  const person = await transaction.get<{ password: string }>(
    `SELECT password FROM person WHERE id = $1${transaction.forUpdate}`,
    personId,
  );
  if (person?.password !== seenPassword) throw wrongPassword();
  await replacePassword(transaction, { personId, password, keptSession }, moment);
  await audit(
    transaction,
    {
      organizationId: null,
      action: "password.changed",
      actor: personId,
      subject: personId,
      address,
    },
    moment,
  );
}
