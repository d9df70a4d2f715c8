import { type Actor, audit } from "../../database/audit/audit.ts";
import type { Reader, Transaction, Value } from "../../database/database.ts";
import { requireFewer } from "../../database/row-limit.ts";
import type { Moment } from "../../ground/clock.ts";
import { ServiceError } from "../../ground/errors.ts";
import { shownEmail } from "../../accounts/rows/people/person.ts";

/** A row that people keep under a name and change one after the other: a view, report or rule. */
export interface NamedRow {
  id: string;
  name: string;
  revision: number;
  createdAtMs: number;
  createdBy: string;
  changedAtMs: number;
  changedBy: string;
}

type Table = "saved" | "retention_rule";

/** The rows of a table among which a name is taken once, and the bound of their number. */
export interface Namesakes {
  table: Table;
  /** What a row is called in a sentence. */
  noun: string;
  where: string;
  values: Value[];
  most: number;
  /** With its verb: `An organization shares`. */
  owner: string;
  /** Owner of the names: ` of yours`. */
  whose: string;
}

/** A row to write; `columns` are those that its table has beside the common ones. */
export interface WrittenRow {
  id: string;
  name: string;
  organizationId: string;
  by: Actor;
  columns: Readonly<Record<string, Value>>;
  /** Action in the audit log; null for what a person keeps for themselves. */
  action: string | null;
}

/** Finds rows of organization `$1`, with the columns and on the condition of their kind. */
export async function findNamed<Row extends NamedRow>(
  reader: Reader,
  { table, columns, more }: { table: Table; columns: string; more: string },
  ...values: Value[]
): Promise<Row[]> {
  const rows = await reader.all<Row>(
    `SELECT ${table}.id, ${table}.name, ${columns}, ${table}.revision, maker.email AS "createdBy",
       ${table}.created_at_ms AS "createdAtMs", changer.email AS "changedBy",
       ${table}.changed_at_ms AS "changedAtMs"
     FROM ${table} JOIN person AS maker ON maker.id = ${table}.created_by
       JOIN person AS changer ON changer.id = ${table}.changed_by
     WHERE ${table}.organization = $1 ${more}`,
    ...values,
  );
  for (const row of rows) {
    row.createdBy = shownEmail(row.createdBy);
    row.changedBy = shownEmail(row.changedBy);
  }
  return rows;
}

/**
 * Returns the stored row if it has the revision that the caller has seen; otherwise throws, so that
 * another member's change stays. Under lockOrganization the row stays until the transaction ends.
 */
export function requireSeen<Row extends NamedRow>(noun: string, row: Row, revision: number): Row {
  if (row.revision === revision) return row;
  const { name, changedAtMs, changedBy } = row;
  const sentence = `${changedBy} has changed this ${noun} since it was read; nothing was changed.`;
  const present = { revision: row.revision, name, changedAtMs, changedBy };
  throw new ServiceError("conflict", sentence, { present });
}

/** Inserts the row, or replaces the one with its id. Throws where its name is taken. */
export async function putNamed(
  transaction: Transaction,
  { table, where, values, noun, whose }: Namesakes,
  row: WrittenRow,
  moment: Moment,
): Promise<void> {
  const other = await transaction.get(
    `SELECT id FROM ${table} WHERE ${where} AND name = $${values.length + 1}
       AND id <> $${values.length + 2}`,
    ...values,
    row.name,
    row.id,
  );
  if (other !== undefined)
    throw new ServiceError("conflict", `There is another ${noun}${whose} with this name.`);
  const names = Object.keys(row.columns);
  await transaction.run(
    `INSERT INTO ${table} (id, organization, name, created_by, created_at_ms, changed_by,
       changed_at_ms, revision, ${names.join(", ")})
     VALUES ($1, $2, $3, $4, $5, $4, $5, 1, ${names.map((_, at) => `$${at + 6}`).join(", ")})
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, changed_by = excluded.changed_by,
       changed_at_ms = excluded.changed_at_ms, revision = ${table}.revision + 1,
       ${names.map((column) => `${column} = excluded.${column}`).join(", ")}`,
    row.id,
    row.organizationId,
    row.name,
    row.by.actor,
    moment.nowMs,
    ...Object.values(row.columns),
  );
  await note(transaction, row, moment);
}

export async function deleteNamed(
  transaction: Transaction,
  table: Table,
  row: Omit<WrittenRow, "columns">,
  moment: Moment,
): Promise<void> {
  await transaction.run(`DELETE FROM ${table} WHERE id = $1`, row.id);
  await note(transaction, row, moment);
}

/** Throws where the rows are as many as there may be. */
export function requireFewerNamed(
  reader: Reader,
  { table, where, values, most, owner, noun }: Namesakes,
): Promise<void> {
  const sentence = `${owner} at most ${most} ${noun}s; delete those that are not used.`;
  return requireFewer(reader, most, sentence, `${table} WHERE ${where}`, ...values);
}

async function note(
  transaction: Transaction,
  { organizationId, by, action, id, name }: Omit<WrittenRow, "columns">,
  moment: Moment,
): Promise<void> {
  if (action === null) return;
  const entry = { organizationId, action, subject: id, details: { name } };
  await audit(transaction, { ...entry, ...by }, moment);
}
