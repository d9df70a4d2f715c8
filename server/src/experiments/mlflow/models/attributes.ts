import type { Transaction } from "../../../database/database.ts";
import { insertRows } from "../../../database/rows.ts";
import { ServiceError } from "../../../ground/errors.ts";
import { rowBytes, textBytes } from "../../../database/quotas/amounts.ts";
import type { Ledger } from "../../../database/quotas/ledger.ts";
import type { Tag } from "../change-folder.ts";

interface ModelScope {
  organizationId: string;
  modelId: string;
}

/** Tags are replaced. Of two with one key the later counts. */
export async function writeModelTags(
  transaction: Transaction,
  { organizationId, modelId }: ModelScope,
  tags: readonly Tag[],
  ledger: Ledger,
): Promise<void> {
  const wanted = new Map(tags.map(({ key, value }) => [key, value]));
  const stored = await readStored(transaction, "logged_model_tag", modelId, [...wanted.keys()]);
  const changed = [...wanted].filter(([key, value]) => stored.get(key) !== value);
  if (changed.length === 0) return;
  const bytes = changed.reduce((sum, [key, value]) => {
    const before = stored.get(key);
    const others = before === undefined ? rowBytes + textBytes(key) : -textBytes(before);
    return sum + textBytes(value) + others;
  }, 0);
  await ledger.charge(organizationId, { bytes });
  await insertRows(
    transaction,
    "logged_model_tag",
    ["model", "key", "value"],
    changed.map(([key, value]) => [modelId, key, value]),
    "ON CONFLICT (model, key) DO UPDATE SET value = excluded.value",
  );
}

/** A param never changes; the same value again is no change, so that requests may be repeated. */
export async function addModelParams(
  transaction: Transaction,
  { organizationId, modelId }: ModelScope,
  params: readonly Tag[],
  ledger: Ledger,
): Promise<void> {
  const keys = params.map(({ key }) => key);
  const known = await readStored(transaction, "logged_model_param", modelId, keys);
  const added: Tag[] = [];
  for (const { key, value } of params) {
    const before = known.get(key);
    if (before === undefined) {
      known.set(key, value);
      added.push({ key, value });
    } else if (before !== value) throw changing(modelId, key, before, value);
  }
  if (added.length === 0) return;
  const bytes = added.reduce((sum, { key, value }) => sum + rowBytes + textBytes(key, value), 0);
  await ledger.charge(organizationId, { bytes });
  await insertRows(
    transaction,
    "logged_model_param",
    ["model", "key", "value"],
    added.map(({ key, value }) => [modelId, key, value]),
  );
}

function changing(modelId: string, key: string, before: string, value: string): ServiceError {
  return new ServiceError(
    "bad_request",
    `Changing param values is not allowed. Param with key='${key}' was already logged with ` +
      `value='${before}' for model ID='${modelId}'. Attempted logging new value '${value}'.`,
  );
}

async function readStored(
  transaction: Transaction,
  table: "logged_model_param" | "logged_model_tag",
  modelId: string,
  keys: readonly string[],
): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map();
  const rows = await transaction.all<Tag>(
    `SELECT key, value FROM ${table} WHERE model = $1 AND ${transaction.isOneOf("key", "$2")}`,
    modelId,
    JSON.stringify(keys),
  );
  return new Map(rows.map(({ key, value }) => [key, value]));
}
