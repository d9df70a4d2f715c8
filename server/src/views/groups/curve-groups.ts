import type { GroupsBody, GroupsReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { OverviewLine } from "@lossless/protocol/member-columns";
import type { Raster } from "@lossless/protocol/raster";
import type { Reader } from "../../database/database.ts";
import { presentExperiments } from "../../experiments/identity.ts";
import { readNonfinite } from "../../experiments/nonfinite.ts";
import { ServiceError } from "../../ground/errors.ts";
import { addArray, type ReplyText } from "../../ground/reply-text.ts";
import { pointsPerChunk } from "../../points/chunk.ts";
import type { LaidLine } from "../charts/laid-line.ts";
import { drawnOf, type ReducedLine, reduceLine } from "../charts/reduced-line.ts";
import { exactPointsPerColumn, Reduction } from "../charts/reduction.ts";
import { neededAround, placedSmoothing } from "../charts/placed-smoothing.ts";
import { rangeOf } from "../charts/range.ts";
import type { PlacedSmoothing } from "../charts/smoothing.ts";
import { readIds } from "../table/found-ids.ts";
import { groupFieldsOf } from "../table/group-fields.ts";
import { concernedBy } from "../table/may-find.ts";
import { readBehind } from "../table/summaries-behind.ts";
import { openTable } from "../table/table.ts";
import type { Table } from "../table/table-search.ts";
import { FoldedCurve } from "./group-curve.ts";
import { readGroupBounds } from "./group-range.ts";
import { idsPerStatement } from "./group-values.ts";
import { findMemberGroups, type MemberGroup } from "./member-groups.ts";
import { type GroupsContext, memberLines } from "./member-lines.ts";
import { addShort, foldedHow } from "./short-fold.ts";
import { Turns } from "./turns.ts";

export interface ReadGroups {
  organizationId: string;
  body: GroupsBody;
}

/** `views/groups`: a series of all experiments that a query finds, reduced to means of groups. */
export async function readGroups(
  reader: Reader,
  { organizationId, body }: ReadGroups,
  text: ReplyText,
  context: GroupsContext,
): Promise<void> {
  checkQuestion(body);
  const fields = groupFieldsOf(body.by);
  const turns = new Turns(limits.groupsMsMax, tooLong, context.signal);
  const asked = { ...body, columns: body.by, sort: [] };
  const table = await openTable(reader, organizationId, asked, context.nowMs);
  const ids = await idsOf(reader, table, body);
  if (shortOf(body) > 0) context.folds.expect(ids.length);
  const found = await findMemberGroups(reader, table.search, fields, ids, body, turns);
  const groups = found.groups.slice(0, body.groupsMax ?? limits.groupsUsual);
  const others = found.groups.slice(groups.length);
  const members = groups.flatMap((group) => group.members);
  const { xAxis, xSeriesName, xScale = "linear", columns } = body;
  const bounds = await readGroupBounds(reader, members, body, context, turns);
  const raster = { xScale, ...(await rangeOf(body, [bounds])), columns };
  const smooth = await placedSmoothing(body, [bounds]);
  const folding = { raster, smooth, body, context, turns };
  const curves = await foldCurves(reader, groups, folding);
  const concerned = body.experimentIds === undefined ? concernedBy(table.search) : amongOf(ids);
  const behind = await readBehind(reader, organizationId, context.nowMs, { concerned });
  const opening = JSON.stringify({ xAxis, xSeriesName, ...raster, experiments: ids.length });
  await text.add(`${opening.slice(0, -1)},"groups":`);
  await addArray(text, [...curves], ([group, curve]) => JSON.stringify(curve.reply(group)));
  const rest: Pick<
    GroupsReply,
    "withoutSeries" | "members" | "others" | "asOfMs" | "behind" | "late"
  > = {
    withoutSeries: found.withoutSeries,
    members: membersOf(found.groups, groups.length, body),
    others: {
      groups: others.length,
      members: others.reduce((sum, group) => sum + group.members.length, 0),
    },
    ...behind,
  };
  await text.add(`,${JSON.stringify(rest).slice(1)}`);
}

const narrower =
  "Narrow the query, the folder or the range, or ask for fewer groups (`groupsMax`).";
const tooLong = `To reduce these lines takes more than ${limits.groupsMsMax / 1_000} seconds. ${narrower}`;

function checkQuestion({ experimentIds, query, folderId, xAxis, xSeriesName }: GroupsBody): void {
  if (experimentIds !== undefined && (query !== undefined || folderId !== undefined))
    throw new ServiceError("bad_request", "Give `experimentIds` or a query, not both.");
  if ((xAxis === "metric") !== (xSeriesName !== undefined))
    throw new ServiceError("bad_request", "`xSeriesName` and the axis `metric` need each other.");
}

async function idsOf(
  reader: Reader,
  table: Table,
  { experimentIds }: GroupsBody,
): Promise<string[]> {
  const { organizationId } = table.search;
  if (experimentIds !== undefined) return presentExperiments(reader, organizationId, experimentIds);
  const ids = await readIds(reader, table);
  if (ids.length <= limits.groupExperimentsMax) return ids;
  throw new ServiceError(
    "bad_request",
    `The query finds ${ids.length} experiments, and ${limits.groupExperimentsMax} may be grouped. ${narrower}`,
  );
}

/** Says in which groups the lines of some experiments are. */
function membersOf(
  all: readonly MemberGroup[],
  shown: number,
  { membersOf: ids = [] }: GroupsBody,
): GroupsReply["members"] {
  const wanted = new Set(ids);
  if (wanted.size === 0) return [];
  return all.flatMap(({ members }, at) =>
    members.flatMap(({ experimentId, meta }) => {
      if (!wanted.has(experimentId)) return [];
      const metadata = JSON.parse(meta) as Record<string, string>;
      return [{ experimentId, metadata, group: at < shown ? at : null }];
    }),
  );
}

function amongOf(ids: readonly string[]) {
  return async (behind: readonly { experiment: string }[]): Promise<ReadonlySet<string>> => {
    const named = new Set(ids);
    return new Set(behind.map(({ experiment }) => experiment).filter((id) => named.has(id)));
  };
}

interface Folding {
  raster: Raster;
  smooth: PlacedSmoothing | undefined;
  body: GroupsBody;
  context: GroupsContext;
  turns: Turns;
}

/** Reads every member once, and folds it into the curve of its group. */
async function foldCurves(
  reader: Reader,
  groups: readonly MemberGroup[],
  folding: Folding,
): Promise<Map<MemberGroup, FoldedCurve>> {
  const { raster, body, context, turns } = folding;
  const curves = groups.map(() => new FoldedCurve(raster));
  const members = groups.flatMap((group, of) => group.members.map((one) => ({ ...one, of })));
  const how = foldedHow(raster, body);
  const shortMax = shortOf(body);
  using folds = context.folds.begin(how, shortMax === 0 ? 0 : members.length);
  const numbers = new Map(members.map((member, at) => [member, at]));
  for await (const each of memberLines(reader, members, { ...body, shortMax }, context, turns)) {
    if (each.kind === "line") await foldLine(curves[each.member.of], each.line, folding);
    else if (each.kind === "curve") addShort(curves[each.member.of], each.curve, how);
    else {
      const { members: some, ...stored } = each.batch;
      await folds.add({
        numbers: Uint32Array.from(some, (member) => numbers.get(member)!),
        groups: Uint32Array.from(some, (member) => member.of),
        ...stored,
      });
    }
  }
  const { columns, failed } = await folds.take();
  for (const [of, folded] of columns) curves[of].addColumns(folded);
  // Each by itself, which tells its damage.
  const again = failed.map((at) => members[at]);
  for await (const each of memberLines(reader, again, { ...body, shortMax: 0 }, context, turns))
    if (each.kind === "line") await foldLine(curves[each.member.of], each.line, folding);
  for (const [of, group] of groups.entries())
    curves[of].nonfinite = await countNonfinite(reader, group, body, turns);
  return new Map(groups.map((group, of) => [group, curves[of]]));
}

async function foldLine(
  curve: FoldedCurve,
  line: LaidLine,
  { raster, smooth, body }: Folding,
): Promise<void> {
  const extent = { start: raster.start, end: raster.end, ...neededAround(smooth) };
  const reduced = await line.unlessDamaged(async (laid) => {
    const below = await pointsBelow(laid, body);
    const dense =
      smooth === undefined
        ? laid.dense?.(raster, exactPointsPerColumn * raster.columns)
        : undefined;
    const how = { raster, extent, smooth, dense, tellsRepeated: false };
    return { ...(await reduceLine(laid, how)), below };
  });
  if (reduced === undefined) {
    curve.damaged++;
    return;
  }
  curve.points += reduced.reduction.points;
  curve.unplaced += line.unpaired + reduced.below;
  curve.add(lineOf(reduced.smoothed ?? reduced.reduction));
}

/** Points up to which a line is certainly given point by point, whatever its range. */
function shortOf({ columns, smooth, xAxis, combined }: GroupsBody): number {
  const isPlain = smooth === undefined && xAxis !== "metric" && combined === undefined;
  return isPlain ? Math.min(pointsPerChunk, exactPointsPerColumn * columns) : 0;
}

/** The line as an overview has it. */
function lineOf(reduction: ReducedLine["reduction"]): OverviewLine {
  const exact = reduction instanceof Reduction ? reduction.exactCurve() : undefined;
  return exact === undefined ? drawnOf(reduction) : { ...reduction.neighbours(), exact };
}

/** Points at or below 0 have no place where a logarithmic axis begins by itself. */
async function pointsBelow(
  line: { firstAbove0(): Promise<{ below: number }> },
  { xScale, start }: GroupsBody,
): Promise<number> {
  return xScale === "log" && start === undefined ? (await line.firstAbove0()).below : 0;
}

async function countNonfinite(
  reader: Reader,
  { members }: MemberGroup,
  { seriesName, combined }: GroupsBody,
  turns: Turns,
): Promise<number> {
  let count = 0;
  const names = [seriesName, ...(combined ? [combined.seriesName] : [])];
  for (let start = 0; start < members.length; start += idsPerStatement) {
    const some = members.slice(start, start + idsPerStatement);
    const ids = [...new Set(some.map(({ experimentId }) => experimentId))];
    const found = await readNonfinite(reader, ids, names);
    const known = new Set(found.map(({ experiment, meta }) => `${experiment} ${meta}`));
    count += some.filter(({ experimentId, meta }) => known.has(`${experimentId} ${meta}`)).length;
    await turns.next();
  }
  return count;
}
