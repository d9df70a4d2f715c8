import type {
  ExperimentGroup,
  ExperimentGroupsBody,
  ExperimentGroupsReply,
} from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../../database/database.ts";
import type { Moment } from "../../ground/clock.ts";
import { ServiceError } from "../../ground/errors.ts";
import { addArray, type ReplyText } from "../../ground/reply-text.ts";
import { readIds } from "../table/found-ids.ts";
import { groupFieldsOf } from "../table/group-fields.ts";
import { concernedBy } from "../table/may-find.ts";
import { readBehind } from "../table/summaries-behind.ts";
import { openTable } from "../table/table.ts";
import { readCells } from "../table/table-rows.ts";
import type { Table } from "../table/table-search.ts";
import { ColumnSums } from "./column-sums.ts";
import { type GroupOrder, inOrder } from "./group-order.ts";
import { identityOf, idsPerStatement, readGroupValues } from "./group-values.ts";
import { Turns } from "./turns.ts";

export interface ReadExperimentGroups {
  organizationId: string;
  body: ExperimentGroupsBody;
}

/** `views/experiment-groups`: the groups of a table, one page of them. */
export async function readExperimentGroups(
  reader: Reader,
  { organizationId, body }: ReadExperimentGroups,
  text: ReplyText,
  { nowMs, signal }: Moment & { signal?: AbortSignal },
): Promise<void> {
  const { sort = [{ of: "experiments", descending: true }], offset = 0, limit } = body;
  checkSort(sort, body);
  const { table, groups, experiments } = await groupTable(
    reader,
    organizationId,
    body,
    nowMs,
    signal,
  );
  const concerned = concernedBy(table.search);
  const behind = await readBehind(reader, organizationId, nowMs, { concerned });
  const page = inOrder(groups, sort).slice(offset, offset + limit);
  await text.add('{"groups":');
  await addArray(text, page, (group) => JSON.stringify(group));
  const rest: Omit<ExperimentGroupsReply, "groups"> = {
    total: groups.length,
    experiments,
    ...behind,
  };
  await text.add(`,${JSON.stringify(rest).slice(1)}`);
}

function checkSort(
  sort: readonly GroupOrder[],
  { by, columns = [] }: Pick<ExperimentGroupsBody, "by" | "columns">,
): void {
  for (const [place, { of, at = 0 }] of sort.entries()) {
    const most = of === "experiments" ? 1 : of === "key" ? by.length : columns.length;
    if (at < most) continue;
    const what = of === "key" ? "key" : "column";
    throw new ServiceError("bad_request", `sort[${place}]: there is no ${what} number ${at}.`);
  }
}

/** Gathers all groups of a table, in no order. */
export async function groupTable(
  reader: Reader,
  organizationId: string,
  body: Pick<ExperimentGroupsBody, "query" | "folderId" | "by" | "columns">,
  nowMs: number,
  signal: AbortSignal | undefined,
): Promise<{ table: Table; groups: ExperimentGroup[]; experiments: number }> {
  const fields = groupFieldsOf(body.by);
  const { query, folderId, columns = [] } = body;
  const asked = { query, folderId, columns: [...columns, ...body.by], sort: [] };
  const table = await openTable(reader, organizationId, asked, nowMs);
  const turns = new Turns(limits.groupsMsMax, tooLong, signal);
  const shown = table.columns.slice(0, columns.length);
  const ids = await readIds(reader, table);
  const values = await readGroupValues(reader, table.search, fields, ids, turns);
  const groups = new Map<string, { group: ExperimentGroup; sums: ColumnSums[] }>();
  for (let start = 0; start < ids.length; start += idsPerStatement) {
    const some = ids.slice(start, start + idsPerStatement);
    const cells = await readCells(reader, table.search, shown, some);
    for (const id of some) {
      const own = values.get(id)!;
      const identity = identityOf(own);
      let known = groups.get(identity);
      if (known === undefined) {
        const group = { values: own, experiments: 0, columns: [] };
        groups.set(identity, (known = { group, sums: shown.map(() => new ColumnSums()) }));
      }
      known.group.experiments++;
      for (const [at, cell] of cells.get(id)!.entries()) known.sums[at].add(cell);
    }
    await turns.next();
  }
  const all = [...groups.values()].map(({ group, sums }) => {
    return { ...group, columns: sums.map((one) => one.reply()) };
  });
  return { table, groups: all, experiments: ids.length };
}

const tooLong =
  `To group these experiments takes more than ${limits.groupsMsMax / 1_000} seconds. Narrow the query or the ` +
  "folder, or ask for fewer columns.";
