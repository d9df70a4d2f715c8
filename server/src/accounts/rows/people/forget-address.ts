import type { Transaction } from "../../../database/database.ts";
import { textBytes } from "../../../database/quotas/amounts.ts";
import type { Counting } from "../../../database/quotas/ledger.ts";
import { findPeopleByEmail } from "./person.ts";

export interface ScimName {
  organization: string;
  name: string;
}

export interface ForgottenAddress {
  personId: string;
  email: string;
  /** Names of the person at identity providers. */
  accounts: readonly string[];
  /** Names of the person that identity providers sent by SCIM. */
  userNames: readonly ScimName[];
  /** Replacement for the address and these names. */
  pseudonym: string;
}

/**
 * Removes the address of an erased person from invitations, notes and the audit log, and network
 * addresses from the latter. Where another person with the same address is a member, by that
 * organization's word, only entries that name the erased person by id are changed.
 */
export async function forgetAddress(
  transaction: Transaction,
  forgotten: ForgottenAddress,
  context: Counting,
): Promise<void> {
  const others = await findPeopleByEmail(transaction, forgotten.email);
  const elsewhere = await transaction.all<{ organization: string }>(
    `SELECT DISTINCT organization FROM membership WHERE ${transaction.isOneOf("person", "$1")}`,
    JSON.stringify(others.map(({ id }) => id)),
  );
  const kept = JSON.stringify(elsewhere.map(({ organization }) => organization));
  await transaction.run(
    `DELETE FROM invitation WHERE email = $1 AND NOT (${transaction.isOneOf("organization", "$2")})`,
    forgotten.email,
    kept,
  );
  await forgetInNotes(transaction, forgotten, kept, context);
  await forgetInAudit(transaction, forgotten, kept);
}

/** Replaces the address in notes, whose text ends with their author: see experiments/note.ts. */
async function forgetInNotes(
  transaction: Transaction,
  { email, pseudonym }: ForgottenAddress,
  kept: string,
  { ledger }: Counting,
): Promise<void> {
  const before = JSON.stringify({ author: email }).slice(1);
  const after = JSON.stringify({ author: pseudonym }).slice(1);
  const notes = await transaction.all<NoteRow>(
    `SELECT annotation.experiment, annotation.number, annotation.meta, experiment.organization
     FROM annotation JOIN experiment ON experiment.id = annotation.experiment
     WHERE annotation.message_id IS NOT NULL AND annotation.meta LIKE $1 ESCAPE '\\'
       AND NOT (${transaction.isOneOf("experiment.organization", "$2")})
     ORDER BY annotation.experiment, annotation.number`,
    `%${escaped(before)}`,
    kept,
  );
  for (const { experiment, number, meta, organization } of notes) {
    if (!meta.endsWith(before)) continue;
    const changed = meta.slice(0, -before.length) + after;
    await transaction.run(
      "UPDATE head SET revision = revision + 1 WHERE experiment = $1",
      experiment,
    );
    await transaction.run(
      "UPDATE annotation SET meta = $3 WHERE experiment = $1 AND number = $2",
      experiment,
      number,
      changed,
    );
    ledger.note(organization, { bytes: textBytes(changed) - textBytes(meta) });
  }
}

interface NoteRow {
  experiment: string;
  number: number;
  meta: string;
  organization: string;
}

/** Replaces the address in events. They stay, with the id, the act and its time. */
async function forgetInAudit(
  transaction: Transaction,
  { personId, email, accounts, userNames, pseudonym }: ForgottenAddress,
  kept: string,
): Promise<void> {
  await transaction.run(
    "UPDATE audit SET address = NULL WHERE actor = $1 OR subject = $1",
    personId,
  );
  for (const { organization, name } of userNames) {
    await transaction.run(
      "UPDATE audit SET subject = $3 WHERE organization = $1 AND actor = 'scim' AND subject = $2",
      organization,
      name,
      pseudonym,
    );
  }
  const words = [email, ...accounts];
  const pattern = new RegExp(words.map(standingAlone).join("|"), "gi");
  for (const word of words) {
    const events = await transaction.all<{ id: string; details: string }>(
      `SELECT id, details FROM audit WHERE details LIKE $1 ESCAPE '\\'
         AND (actor = $2 OR subject = $2 OR organization IS NULL OR NOT (${transaction.isOneOf("organization", "$3")}))`,
      `%${escaped(JSON.stringify(word).slice(1, -1))}%`,
      personId,
      kept,
    );
    for (const { id, details } of events) {
      const changed = JSON.stringify(JSON.parse(details), (_name, value: unknown) =>
        typeof value === "string" ? value.replaceAll(pattern, pseudonym) : value,
      );
      await transaction.run("UPDATE audit SET details = $2 WHERE id = $1", id, changed);
    }
  }
}

/**
 * Matches the word on its own, not as part of a longer address or id; a full stop behind it ends a
 * sentence.
 */
function standingAlone(word: string): string {
  const literal = word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  return String.raw`(?<![\w.!#$%&'*+/=?^{|}~@-])${literal}(?![\w@-]|\.\w)`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`);
}
