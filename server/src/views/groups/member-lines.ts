import type { GroupsBody } from "@lossless/protocol";
import type { Reader } from "../../database/database.ts";
import type { ServiceError } from "../../ground/errors.ts";
import type { ManySnapshots } from "../../points/many-snapshots.ts";
import type { Snapshot } from "../../points/snapshots.ts";
import { sortPoints } from "../../points/sorted-points.ts";
import { type LaidLine, layLines } from "../charts/laid-line.ts";
import type { Curve } from "../charts/line.ts";
import { OpenedPoints } from "../charts/opened-points.ts";
import { originOf, type ViewContext } from "../charts/selected-partitions.ts";
import type { GroupMember } from "./member-groups.ts";
import type { FoldThread } from "./folding.ts";
import { type ShortBatch, ShortChunks } from "./short-chunks.ts";
import type { Turns } from "./turns.ts";

/** The context of a pass over the points of many experiments. */
export interface GroupsContext extends Pick<ViewContext, "damage" | "signal"> {
  nowMs: number;
  folds: Pick<FoldThread, "begin" | "expect">;
  manySnapshots(): Pick<ManySnapshots, "take">;
}

/**
 * Experiments whose snapshots are taken together: as many as the collector of young objects lets
 * go again before it would move them.
 */
const experimentsPerSlice = 64;

/** A member's line laid along the axis, the points of a short one, or many that are stored. */
export type MemberLine<Member> =
  | { kind: "line"; member: Member; line: LaidLine }
  | { kind: "curve"; member: Member; curve: Curve }
  | { kind: "batch"; batch: ShortBatch<Member> };

export interface LinesAsked extends Pick<GroupsBody, "xAxis" | "seriesName" | "combined"> {
  /** Points up to which a line is given as its points, or in a batch; 0: none is. */
  shortMax: number;
}

/** Yields the lines of members, laid along the axis: a slice of experiments is in memory. */
export async function* memberLines<Member extends GroupMember>(
  reader: Reader,
  members: readonly Member[],
  { xAxis, seriesName, combined, shortMax }: LinesAsked,
  context: GroupsContext,
  turns: Turns,
): AsyncGenerator<MemberLine<Member>> {
  const byExperiment = [...Map.groupBy(members, ({ experimentId }) => experimentId)];
  const { damage, signal } = context;
  const snapshots = context.manySnapshots();
  const opened = new OpenedPoints(signal);
  opened.unlimit();
  for (let start = 0; start < byExperiment.length; start += experimentsPerSlice) {
    const slice = byExperiment.slice(start, start + experimentsPerSlice);
    const wanted = new Map(slice.map(([id, own]) => [id, numbersOf(own)]));
    const taken = await snapshots.take(reader, wanted);
    const lines = slice.flatMap(([, own]) => own);
    const short = new ShortChunks(lines, taken, { xAxis, countMax: shortMax });
    for await (const batch of short.batches()) {
      yield { kind: "batch", batch };
      await turns.next();
    }
    for (const [experimentId, own] of slice) {
      const snapshot = taken.get(experimentId);
      if (snapshot === undefined) continue;
      const problem = "failure" in snapshot ? told(snapshot.failure, damage) : undefined;
      for (const member of own) {
        if (short.has(member)) continue;
        const { meta, number, xNumber, otherNumber, siblings } = member;
        const curve =
          "failure" in snapshot || shortMax === 0
            ? undefined
            : await shortCurve(snapshot, member, xAxis, shortMax);
        if (curve !== undefined) {
          yield { kind: "curve", member, curve };
          const given = turns.next();
          if (given !== undefined) await given;
          continue;
        }
        const identity = { experimentId, seriesName, meta };
        const sourcesOf = (of: number | undefined) =>
          of === undefined || "failure" in snapshot
            ? []
            : opened.counted(snapshot.drawnSources(of));
        const partition = {
          ...identity,
          sources: sourcesOf(number),
          state: "",
          xSources: sourcesOf(xNumber),
          ...(combined && { combined: { ...combined, sources: sourcesOf(otherNumber) } }),
          origin: "failure" in snapshot ? 0 : originOf(xAxis, snapshot, siblings),
          ...(problem && { problem }),
        };
        const [line] = await layLines([partition], xAxis, damage);
        yield { kind: "line", member, line };
        await turns.next();
      }
    }
  }
}

/** A short line that is not sealed, or whose timestamps are not in order. */
async function shortCurve(
  snapshot: Snapshot,
  { number, siblings }: GroupMember,
  xAxis: GroupsBody["xAxis"],
  shortMax: number,
): Promise<Curve | undefined> {
  // A damaged one is told as such on the way of longer ones.
  const points = await snapshot.shortPoints(number, shortMax).catch(() => undefined);
  if (points === undefined) return undefined;
  const axis = xAxis === "step" || xAxis === "offset" ? "step" : "timestamp";
  const sorted = sortPoints(points, axis);
  const origin = originOf(xAxis, snapshot, siblings);
  const along = sorted[axis];
  return { x: origin === 0 ? along : along.map((each) => each - origin), value: sorted.value };
}

function numbersOf(members: readonly GroupMember[]): number[] {
  const numbers = new Set<number>();
  for (const { number, xNumber, otherNumber, siblings } of members) {
    numbers.add(number);
    if (xNumber !== undefined) numbers.add(xNumber);
    if (otherNumber !== undefined) numbers.add(otherNumber);
    for (const one of siblings) numbers.add(one);
  }
  return [...numbers];
}

/** The problem of damaged data; everything else is a failure of the request. */
function told(failure: unknown, damage: ViewContext["damage"]): ServiceError {
  const problem = damage(failure);
  if (problem === undefined) throw failure;
  return problem;
}
