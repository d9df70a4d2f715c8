import { flagged } from "../database/operation.ts";
import { accountReads, accountWrites } from "../accounts/rows/operations.ts";
import { artifactReads, artifactWrites } from "../artifacts/rows/operations.ts";
import { attemptReplies, attemptWrites } from "../attempts/operations.ts";
import { consoleReplies, consoleWrites } from "../console/operations.ts";
import { readAudit } from "../database/audit/audit.ts";
import { listQuotas } from "../database/quotas/quota.ts";
import { noteToldAmounts, noteToldQuotas } from "../database/quotas/told-amounts.ts";
import { mlflowReads, mlflowReplies, mlflowWrites } from "../experiments/mlflow/operations.ts";
import { experimentReads, experimentReplies, experimentWrites } from "../experiments/operations.ts";
import { lineageReads, lineageReplies, lineageWrites } from "../lineage/operations.ts";
import { placeReads, placeReplies, placeWrites } from "../places/rows/operations.ts";
import { pointWrites } from "../points/operations.ts";
import { registryReads, registryWrites } from "../registry/operations.ts";
import { trashReads, trashWrites } from "../trash/operations.ts";
import {
  retentionReads,
  retentionReplies,
  retentionWrites,
} from "../trash/retention/operations.ts";
import { viewReads, viewReplies } from "../views/operations.ts";
import { readAmounts } from "./amounts.ts";
import { takeLease } from "./background/lease.ts";
import { takeSlices } from "./background/slices.ts";
import { masterKeysInUse } from "./sealed-secrets.ts";
import type { WalkContext } from "../ground/walk.ts";
import type { Reader, Transaction } from "../database/database.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import { type Erranding, forgetErrands } from "../database/errands.ts";
import type { ReplyText } from "../ground/reply-text.ts";
import type { Recording } from "../experiments/mlflow/recording.ts";
import type { ConsoleContext } from "../console/stretches.ts";
import type { PointsReader } from "../experiments/summaries/lasts.ts";
import type { ViewContext } from "../views/charts/selected-partitions.ts";
import type { GroupsContext } from "../views/groups/member-lines.ts";
import type { RevisionContext } from "../experiments/series/revisions.ts";

/** Context of a write operation. */
export type OperationContext = Counting & Recording & Erranding;
/** The context of a read that is passed on to a reader. */
export type ReadContext = WalkContext &
  RevisionContext &
  Required<Omit<ViewContext, "signal">> &
  Pick<GroupsContext, "manySnapshots" | "folds"> &
  PointsReader &
  ConsoleContext;
/**
 * All write operations of the domain by their wire-independent name: that of the event without its
 * prefix, where there is one. A function cannot be sent to a thread, its name can: the writer runs
 * `writeOperations`, a reader runs `readOperations` and `replyOperations`. A write operation runs
 * in an attempt: when it throws, its earlier writes are undone.
 */
export const writeOperations = {
  ...trashWrites,
  ...retentionWrites,
  ...accountWrites,
  ...artifactWrites,
  ...registryWrites,
  ...lineageWrites,
  ...placeWrites,
  ...mlflowWrites,
  ...experimentWrites,
  ...consoleWrites,
  ...attemptWrites,
  ...pointWrites,
  "told.amounts": flagged(noteToldAmounts, { onFullDisk: true }),
  "told.quotas": flagged(noteToldQuotas, { onFullDisk: true, atPoints: true }),
  "errand.forget": flagged(forgetErrands, { onFullDisk: true }),
  "background.lease": flagged(takeLease, { onFullDisk: true }),
  "background.slices": flagged(takeSlices, { onFullDisk: true }),
} satisfies Record<
  string,
  (transaction: Transaction, input: never, context: OperationContext) => Promise<unknown>
>;

export const readOperations = {
  ...trashReads,
  ...retentionReads,
  ...accountReads,
  ...artifactReads,
  ...registryReads,
  ...lineageReads,
  ...placeReads,
  ...mlflowReads,
  ...experimentReads,
  ...viewReads,
  "quota.list": listQuotas,
  "audit.read": readAudit,
  "masterKey.inUse": masterKeysInUse,
  "installation.amounts": readAmounts,
} satisfies Record<
  string,
  (reader: Reader, input: never, context: ReadContext) => Promise<unknown>
>;

/** Reads whose result is passed on: each writes its JSON, with metas as they are stored. */
export const replyOperations = {
  ...retentionReplies,
  ...lineageReplies,
  ...placeReplies,
  ...mlflowReplies,
  ...experimentReplies,
  ...consoleReplies,
  ...attemptReplies,
  ...viewReplies,
} satisfies Record<
  string,
  (
    reader: Reader,
    input: never,
    text: ReplyText,
    context: ReadContext,
  ) => Promise<void | (() => Promise<void>)>
>;

export type WriteOperations = typeof writeOperations;
export type ReadOperations = typeof readOperations;
export type ReplyOperations = typeof replyOperations;
