import type { Transaction } from "../../database/database.ts";
import { insertRows } from "../../database/rows.ts";
import { touchHead } from "../head.ts";
import { addLoggedTables } from "../logged/index-logged.ts";
import { tablesTag } from "../logged/place.ts";
import { ServiceError } from "../../ground/errors.ts";
import { rowBytes, textBytes } from "../../database/quotas/amounts.ts";
import type { Ledger } from "../../database/quotas/ledger.ts";
import type { Tag } from "./change-folder.ts";
import { nativeParams } from "./native.ts";

interface RunScope {
  organizationId: string;
  runId: string;
}

/**
 * Records a change of a param or a tag: the experiment's revision grows, and its leaves are indexed
 * again.
 */
export async function noteAttributes(transaction: Transaction, runId: string): Promise<void> {
  await transaction.run(
    "UPDATE summarized SET meta_version = meta_version + 1 WHERE experiment = $1",
    runId,
  );
  await touchHead(transaction, runId);
}

/** Tags are replaced; true when any of them changed. Of two with one key the later counts. */
export async function writeTags(
  transaction: Transaction,
  { organizationId, runId }: RunScope,
  tags: readonly Tag[],
  ledger: Ledger,
): Promise<boolean> {
  const wanted = new Map(tags.map(({ key, value }) => [key, value]));
  const stored = await readStored(transaction, "run_tag", runId, [...wanted.keys()]);
  const changed = [...wanted].filter(([key, value]) => stored.get(key) !== value);
  if (changed.length === 0) return false;
  const bytes = changed.reduce((sum, [key, value]) => {
    const before = stored.get(key);
    return (
      sum +
      textBytes(value) -
      (before === undefined ? -rowBytes - textBytes(key) : textBytes(before))
    );
  }, 0);
  await ledger.charge(organizationId, { bytes });
  await insertRows(
    transaction,
    "run_tag",
    ["experiment", "key", "value"],
    changed.map(([key, value]) => [runId, key, value]),
    "ON CONFLICT (experiment, key) DO UPDATE SET value = excluded.value",
  );
  if (changed.some(([key]) => key === tablesTag)) {
    await touchHead(transaction, runId);
    await addLoggedTables(transaction, runId);
  }
  return true;
}

/**
 * Adds params. A param never changes; the same value again is no change, nor is one that the meta
 * has. Returns whether any was added.
 */
export async function addParams(
  transaction: Transaction,
  { organizationId, runId, meta }: RunScope & { meta: string },
  params: readonly Tag[],
  ledger: Ledger,
): Promise<boolean> {
  const keys = params.map(({ key }) => key);
  const native = params.length === 0 ? [] : nativeParams(meta, []);
  const stored = new Map([
    ...native.map(({ key, value }) => [key, value] as const),
    ...(await readStored(transaction, "run_param", runId, keys)),
  ]);
  const changed = params.flatMap(({ key, value }) => {
    const before = stored.get(key) ?? value;
    return before === value ? [] : [{ key, before, value }];
  });
  if (changed.length > 0) throw changing(runId, changed, params.length > 1);
  const added = params.filter(({ key }) => !stored.has(key));
  if (added.length === 0) return false;
  const bytes = added.reduce((sum, { key, value }) => sum + rowBytes + textBytes(key, value), 0);
  await ledger.charge(organizationId, { bytes });
  await insertRows(
    transaction,
    "run_param",
    ["experiment", "key", "value"],
    added.map(({ key, value }) => [runId, key, value]),
  );
  return true;
}

function changing(
  runId: string,
  changed: readonly { key: string; before: string; value: string }[],
  areMany: boolean,
): ServiceError {
  const [{ key, before, value }] = changed;
  if (areMany) {
    const listed = changed.map(
      (one) => `{'key': '${one.key}', 'old_value': '${one.before}', 'new_value': '${one.value}'}`,
    );
    return new ServiceError(
      "bad_request",
      `Changing param values is not allowed. Params were already logged='[${listed.join(", ")}]' ` +
        `for run ID='${runId}'.`,
    );
  }
  return new ServiceError(
    "bad_request",
    `Changing param values is not allowed. Param with key='${key}' was already logged with ` +
      `value='${before}' for run ID='${runId}'. Attempted logging new value '${value}'.`,
  );
}

async function readStored(
  transaction: Transaction,
  table: "run_param" | "run_tag",
  runId: string,
  keys: readonly string[],
): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map();
  const rows = await transaction.all<Tag>(
    `SELECT key, value FROM ${table} WHERE experiment = $1 AND ${transaction.isOneOf("key", "$2")}`,
    runId,
    JSON.stringify(keys),
  );
  return new Map(rows.map(({ key, value }) => [key, value]));
}
