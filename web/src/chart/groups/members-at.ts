import { memberColumns } from "@lossless/protocol/member-columns";
import { columnAround, type Raster } from "@lossless/protocol/raster";
import type { LineLook } from "../lines/looks.ts";
import type { Partition } from "../lines/line.ts";
import type { RecordedPlace } from "../lines/recorded-places.ts";

/** Members listed at most. */
const listedMax = 12;

export interface MemberValue {
  look: LineLook;
  value: number;
}

/**
 * The members of a group with a value at a place, the largest values first, and how many further
 * lines are in the group: others have smaller values, none here, or are not read.
 */
export function membersAt(
  { group }: Partition,
  raster: Raster,
  x: number,
): { members: MemberValue[]; more: number } {
  const { members = [], looks = [], lines = 0 } = group ?? {};
  const column = recordedNear(group?.recorded ?? [], columnAround(raster, x), raster);
  const values = members.flatMap((member, at): MemberValue[] => {
    const value = memberColumns(member.smoothed ?? member, raster).value[column];
    return Number.isNaN(value) ? [] : [{ look: looks[at], value }];
  });
  const listed = values.sort((one, other) => other.value - one.value).slice(0, listedMax);
  return { members: listed, more: lines - listed.length };
}

/** The column at which a group is read: where any member has a point, nearest to the cursor. */
function recordedNear(
  recorded: readonly RecordedPlace[],
  wanted: number,
  { columns }: Raster,
): number {
  const away = ({ column }: RecordedPlace) => Math.abs(column - wanted);
  const [first, ...rest] = recorded;
  if (first === undefined) return Math.min(columns - 1, Math.max(0, wanted));
  return rest.reduce((best, one) => (away(one) <= away(best) ? one : best), first).column;
}
