import type { EditBody, PresentTexts, RequestBody } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { type Actor, audit } from "../database/audit/audit.ts";
import type { Transaction } from "../database/database.ts";
import { ServiceError } from "../ground/errors.ts";
import { identityOf, parseExact } from "../ground/exact-json.ts";
import { textBytes } from "../database/quotas/amounts.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import { touchHead } from "./head.ts";
import { experimentNotFound } from "./identity.ts";
import { depthOf, valueAt, withValueAt } from "./meta-edit.ts";

export interface EditExperiment {
  organizationId: string;
  body: RequestBody<"editExperiment">;
  /** Maximal nesting of the meta of an `open`; an edit makes no deeper one. */
  metaDepthMax: number;
  by: Actor;
}

export interface EditedExperiment {
  experimentId: string;
  description: string;
  metaText: string;
  updatedAtMs: number;
}

/**
 * Changes single texts of an experiment if they equal those seen by the caller, all or none. A text
 * that already has its new value passes, so that a repeated edit changes nothing.
 */
export async function editExperiment(
  transaction: Transaction,
  { organizationId, body, metaDepthMax, by }: EditExperiment,
  { nowMs, ledger }: Counting,
): Promise<EditedExperiment> {
  const { experimentId } = body;
  const before = await transaction.get<Texts & { updatedAtMs: number }>(
    `SELECT description, meta, updated_at_ms AS "updatedAtMs" FROM experiment
     WHERE organization = $1 AND id = $2 AND trashed_at_ms IS NULL${transaction.forUpdate}`,
    organizationId,
    experimentId,
  );
  if (before === undefined) throw experimentNotFound({ experimentId });
  refuseOthers(before, body);
  const { description, meta } = edited(before, body, metaDepthMax);
  if (description === before.description && meta === before.meta) {
    return { experimentId, description, metaText: meta, updatedAtMs: before.updatedAtMs };
  }
  // A caller that has seen a time has seen the texts as of then.
  const updatedAtMs = Math.max(nowMs, before.updatedAtMs + 1);
  const bytes = textBytes(description, meta) - textBytes(before.description, before.meta);
  await ledger.charge(organizationId, { bytes });
  if (meta !== before.meta) {
    await transaction.run(
      "UPDATE summarized SET meta_version = meta_version + 1 WHERE experiment = $1",
      experimentId,
    );
  }
  await transaction.run(
    "UPDATE experiment SET description = $2, meta = $3, updated_at_ms = $4 WHERE id = $1",
    experimentId,
    description,
    meta,
    updatedAtMs,
  );
  await touchHead(transaction, experimentId);
  const details = detailsOf(body);
  await audit(
    transaction,
    { ...by, organizationId, action: "experiment.edited", subject: experimentId, details },
    { nowMs },
  );
  return { experimentId, description, metaText: meta, updatedAtMs };
}

interface Texts {
  description: string;
  meta: string;
}

type MetaEdit = NonNullable<EditExperiment["body"]["meta"]>[number];

/** Throws `conflict` with the present values where they differ from those expected. */
function refuseOthers({ description, meta }: Texts, body: EditExperiment["body"]): void {
  const present: PresentTexts = {};
  const isOther = body.description !== undefined && !isExpected(body.description, description);
  if (isOther) present.description = description;
  const others = (body.meta ?? []).flatMap(({ path, beforeText, afterText }) => {
    const text = valueAt(meta, path);
    if (areSame(text, beforeText) || areSame(text, afterText)) return [];
    return [text === undefined ? { path } : { path, value: JSON.parse(text) as unknown }];
  });
  if (others.length > 0) present.meta = others;
  if (!isOther && others.length === 0) return;
  throw new ServiceError("conflict", "The value was changed meanwhile; nothing was changed now.", {
    present,
  });
}

function isExpected({ before, after }: NonNullable<EditBody["description"]>, text: string) {
  return text === before || text === after;
}

/** Values, not letters: 0.10 is 0.1, and a number beyond 2^53 is no other one. */
function areSame(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return identityOf(parseExact(one)) === identityOf(parseExact(other));
}

function edited(before: Texts, body: EditExperiment["body"], metaDepthMax: number): Texts {
  const edits = body.meta ?? [];
  refuseOverlapping(edits);
  let { meta } = before;
  for (const { path, afterText } of edits) {
    // An equal value keeps its text.
    if (areSame(valueAt(meta, path), afterText)) continue;
    const next = withValueAt(meta, path, afterText);
    if (next === undefined) {
      const sentence = `Nothing can stand at ${shown(path)}: what it is in is no object.`;
      throw new ServiceError("conflict", sentence, { present: { meta: [{ path }] } });
    }
    meta = next;
  }
  if (Buffer.byteLength(meta) > limits.jsonMetaBytesMax) {
    const sentence = `The meta would have more than ${limits.jsonMetaBytesMax} bytes of compact JSON.`;
    throw new ServiceError("bad_request", sentence);
  }
  if (depthOf(meta) > Math.max(metaDepthMax, depthOf(before.meta))) {
    const sentence = `The meta would be nested deeper than ${metaDepthMax} levels.`;
    throw new ServiceError("malformed_json", sentence);
  }
  return { description: body.description?.after ?? before.description, meta };
}

/** Refuses two edits of one value, which have no order. */
function refuseOverlapping(edits: readonly MetaEdit[]): void {
  for (const [at, { path }] of edits.entries()) {
    const other = edits.find(
      (each, place) => place !== at && path.every((name, depth) => each.path[depth] === name),
    );
    if (other === undefined) continue;
    const sentence = `${shown(path)} and ${shown(other.path)} concern one value.`;
    throw new ServiceError("bad_request", sentence);
  }
}

function shown(path: readonly string[]): string {
  return ["meta", ...path].join(".").slice(0, limits.tableTextCharactersMax).toWellFormed();
}

/** Returns which places were changed, without their former values. */
function detailsOf({ description, meta = [] }: EditExperiment["body"]) {
  const places = meta.map(({ path }) => shown(path)).join(", ");
  return {
    description: description !== undefined,
    meta: places.slice(0, limits.tableTextCharactersMax).toWellFormed(),
  };
}
