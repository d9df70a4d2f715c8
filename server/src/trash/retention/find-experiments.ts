import type { ExperimentsRule, ExperimentStatus } from "@lossless/protocol";
import { parseField } from "@lossless/protocol/query-field";
import { parseQuery } from "@lossless/protocol/query-language";
import type { Reader } from "../../database/database.ts";
import { requireFolder } from "../../experiments/folders/find.ts";
import type { Moment } from "../../ground/clock.ts";
import { ServiceError } from "../../ground/errors.ts";
import { dayMs } from "../setting.ts";
import { readIds } from "../../views/table/found-ids.ts";
import { readWords } from "../../views/table/read-words.ts";
import { openTable } from "../../views/table/table.ts";
import { type Find, otherPlaces, type Rule } from "./rule.ts";

const rowsPerPage = 1_000;

export interface RuleOfExperiments extends Rule {
  content: ExperimentsRule;
}

/** Throws `folder_not_found`, and `bad_request` for words that are no query or no metric. */
export async function checkExperimentsRule(
  reader: Reader,
  { organizationId, content }: RuleOfExperiments,
  { nowMs }: Moment,
): Promise<void> {
  const { folderId, query = "", unless = "", keepBest } = content;
  if (folderId !== null) await requireFolder(reader, organizationId, folderId);
  readWords("rule.query", () => parseQuery(query));
  readWords("rule.unless", () => parseQuery(unless));
  // Together they may be too long.
  await openTable(reader, organizationId, { query: queryOf(content) }, nowMs);
  if (keepBest === undefined) return;
  const field = readWords("rule.keepBest.field", () => parseField(keepBest.field));
  if (field.kind !== "metric")
    throw new ServiceError(
      "bad_request",
      "rule.keepBest.field: a metric, such as metric.loss.min.",
    );
  await openTable(reader, organizationId, { query: bestQueryOf(content) }, nowMs);
}

/** Folders that a rule reaches; whether it reaches experiments at the root, too. */
export interface Reach {
  folders: Set<string>;
  hasRoot: boolean;
}

/** A folder below that has rules of its own, and all below that, it does not reach. */
export async function countReach(reader: Reader, rule: RuleOfExperiments): Promise<Reach> {
  const { organizationId } = rule;
  const { folderId } = rule.content;
  const others = JSON.stringify(await otherPlaces(reader, rule));
  const isOther = reader.isOneOf("folder.id", "$2");
  const values = [organizationId, others, ...(folderId === null ? [] : [folderId])];
  const first = folderId === null ? `folder.parent IS NULL AND NOT (${isOther})` : "folder.id = $3";
  const rows = await reader.all<{ id: string }>(
    `WITH RECURSIVE reached (id) AS (
       SELECT folder.id FROM folder WHERE folder.organization = $1 AND ${first}
       UNION ALL SELECT folder.id FROM folder JOIN reached ON folder.parent = reached.id
       WHERE NOT (${isOther})
     ) SELECT id FROM reached`,
    ...values,
  );
  return { folders: new Set(rows.map(({ id }) => id)), hasRoot: folderId === null };
}

export function isReached({ folders, hasRoot }: Reach, folder: string | null): boolean {
  return folder === null ? hasRoot : folders.has(folder);
}

/** The oldest first. */
export async function* findExperiments(
  reader: Reader,
  rule: RuleOfExperiments,
  moment: Moment,
): AsyncGenerator<Find> {
  const { content } = rule;
  if (content.olderThanDays === null) return;
  const reach = await countReach(reader, rule);
  const fitting = await readFitting(reader, rule, moment);
  const best = await readBest(reader, rule, reach, moment);
  let after = "";
  for (;;) {
    const rows = await readOld(reader, rule, reach, after, moment);
    for (const row of rows) {
      if (fitting?.has(row.id) === false || best.has(row.id)) continue;
      yield findOf(row, content, moment);
    }
    if (rows.length < rowsPerPage) return;
    after = rows.at(-1)!.id;
  }
}

/** Finds the experiments that match the rule's query; undefined when it has none. */
async function readFitting(
  reader: Reader,
  { organizationId, content }: RuleOfExperiments,
  { nowMs }: Moment,
): Promise<Set<string> | undefined> {
  const query = queryOf(content);
  if (query === "") return undefined;
  return new Set(await readIds(reader, await openTable(reader, organizationId, { query }, nowMs)));
}

/** The best of all that the rule is about, however new they are. */
async function readBest(
  reader: Reader,
  { organizationId, content }: RuleOfExperiments,
  reach: Reach,
  { nowMs }: Moment,
): Promise<Set<string>> {
  const best = new Set<string>();
  const { keepBest } = content;
  if (keepBest === undefined) return best;
  const sort = [{ field: keepBest.field, descending: keepBest.order === "greatest" }];
  const words = { query: bestQueryOf(content), sort };
  const ranked = await readIds(reader, await openTable(reader, organizationId, words, nowMs));
  for (let start = 0; start < ranked.length && best.size < keepBest.count; start += rowsPerPage) {
    const some = ranked.slice(start, start + rowsPerPage);
    const rows = await reader.all<{ id: string; folder: string | null }>(
      `SELECT id, folder FROM experiment WHERE ${reader.isOneOf("id", "$1")}`,
      JSON.stringify(some),
    );
    const folders = new Map(rows.map(({ id, folder }) => [id, folder]));
    for (const id of some) {
      const isIn = folders.has(id) && isReached(reach, folders.get(id)!);
      if (isIn && best.size < keepBest.count) best.add(id);
    }
  }
  return best;
}

function queryOf({ query = "", unless = "" }: ExperimentsRule): string {
  const parts = [query.trim() !== "" && `(${query})`, unless.trim() !== "" && `not (${unless})`];
  return parts.filter((part) => part !== false).join(" ");
}

/**
 * Returns the query for the best ones. Excepted experiments stay anyway and take no place among
 * them.
 */
function bestQueryOf(content: ExperimentsRule): string {
  const statuses = content.statuses.map((status) => `status = ${status}`).join(" or ");
  return [queryOf(content), `(${statuses})`, content.keepBest!.field].join(" ").trim();
}

interface OldRow {
  id: string;
  slug: string;
  status: ExperimentStatus;
  points: number;
  revision: number;
  created_at_ms: number;
  status_at_ms: number;
  appended_at_ms: number;
}

/** Reads old experiments. One whose points or meta are not all in the table yet waits. */
async function readOld(
  reader: Reader,
  { organizationId, content }: RuleOfExperiments,
  { folders, hasRoot }: Reach,
  after: string,
  { nowMs }: Moment,
): Promise<OldRow[]> {
  return reader.all<OldRow>(
    `SELECT e.id, e.slug, e.status, h.points, h.revision + h.told_revision AS revision,
       e.created_at_ms, e.status_at_ms, h.appended_at_ms
     FROM experiment e JOIN head h ON h.experiment = e.id
       JOIN summarized ON summarized.experiment = e.id
     WHERE e.organization = $1 AND e.id > $2 AND e.trashed_at_ms IS NULL AND e.restored_at_ms IS NULL
       AND ${reader.isOneOf("e.status", "$3")}
       AND e.created_at_ms <= $4 AND e.status_at_ms <= $4 AND h.appended_at_ms <= $4
       AND (${reader.isOneOf("e.folder", "$5")}${hasRoot ? " OR e.folder IS NULL" : ""})
       AND counted = 1 AND indexed_version >= meta_version
       AND (h.points = h.sealed_points OR folded_seq >= log_seq)
     ORDER BY e.id LIMIT ${rowsPerPage}`,
    organizationId,
    after,
    JSON.stringify(content.statuses),
    nowMs - dayMs * content.olderThanDays!,
    JSON.stringify([...folders]),
  );
}

function findOf(row: OldRow, { keepBest }: ExperimentsRule, { nowMs }: Moment): Find {
  const sinceMs = Math.max(row.created_at_ms, row.status_at_ms, row.appended_at_ms);
  const days = Math.floor((nowMs - sinceMs) / dayMs);
  const ended = row.status === "running" ? "running, and silent" : row.status;
  const best = keepBest && `not among the best ${keepBest.count} by ${keepBest.field}`;
  return {
    subject: row.id,
    name: row.slug,
    version: null,
    points: row.points,
    bytes: 0,
    sinceMs,
    why: [`${ended} for ${days} days`, ...(best === undefined ? [] : [best])].join("; "),
    revision: row.revision,
  };
}
