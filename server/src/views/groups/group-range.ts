import type { GroupsBody } from "@lossless/protocol";
import type { Reader } from "../../database/database.ts";
import type { BoundedLine } from "../charts/placed-smoothing.ts";
import type { Placed } from "../charts/range.ts";
import type { GroupMember } from "./member-groups.ts";
import { type GroupsContext, memberLines } from "./member-lines.ts";
import { idsPerStatement } from "./group-values.ts";
import type { Turns } from "./turns.ts";

/**
 * Returns the bounds of all members, where a request needs them. Along steps stored summaries have
 * those of most of them; of others, and along other axes, the points are opened for it.
 */
export async function readGroupBounds(
  reader: Reader,
  members: readonly GroupMember[],
  body: GroupsBody,
  context: GroupsContext,
  turns: Turns,
): Promise<Bounds> {
  const together = new Bounds();
  const { start, end, smooth, xScale } = body;
  const needsUnit = smooth?.kind === "x" && smooth.unit === undefined;
  if (start !== undefined && end !== undefined && !needsUnit) return together;
  const left = maySummarize(body)
    ? await summarize(reader, members, body.seriesName, together, turns)
    : members;
  const needsAbove0 = xScale === "log" && (start === undefined || needsUnit);
  const asked = { ...body, shortMax: 0 };
  for await (const each of memberLines(reader, left, asked, context, turns)) {
    if (each.kind !== "line") continue;
    const { line } = each;
    const above0 = needsAbove0 ? await line.unlessDamaged((laid) => laid.firstAbove0()) : undefined;
    together.add(line.line?.bounds(), above0?.first);
  }
  return together;
}

/** The bounds of several lines. */
export class Bounds implements Placed, BoundedLine {
  #first = Infinity;
  #last = -Infinity;
  #above0 = Infinity;

  add(bounds: { first: number; last: number } | undefined, above0 = Infinity): void {
    this.#above0 = Math.min(this.#above0, above0);
    if (bounds === undefined) return;
    this.#first = Math.min(this.#first, bounds.first);
    this.#last = Math.max(this.#last, bounds.last);
  }

  bounds(): { first: number; last: number } | undefined {
    return this.#first === Infinity ? undefined : { first: this.#first, last: this.#last };
  }

  async firstAbove0(): Promise<number> {
    return this.#above0;
  }

  async leastAbove0(): Promise<number> {
    return this.#above0;
  }
}

/** Summaries have the first and the last step of all partitions of a series together. */
function maySummarize({ xAxis, xScale, filter = [], combined }: GroupsBody): boolean {
  const isPlain = combined === undefined && filter.length === 0;
  return xAxis === "step" && xScale !== "log" && isPlain;
}

/** Takes the bounds that summaries have; returns the members of which they have not all points. */
async function summarize(
  reader: Reader,
  members: readonly GroupMember[],
  seriesName: string,
  together: Bounds,
  turns: Turns,
): Promise<GroupMember[]> {
  const ids = [...new Set(members.map(({ experimentId }) => experimentId))];
  const unknown = new Set<string>();
  for (let start = 0; start < ids.length; start += idsPerStatement) {
    const some = ids.slice(start, start + idsPerStatement);
    const asked = [JSON.stringify(some), seriesName] as const;
    const whole = await reader.get<{ experiments: number; first: number; last: number }>(
      `SELECT count(*) AS experiments, min(s.first_step) AS first, max(s.last_step) AS last
       ${summarized(reader)}`,
      ...asked,
    );
    const { experiments, first, last } = whole!;
    if (experiments > 0) together.add({ first, last });
    if (experiments < some.length) {
      const rows = await reader.all<{ experiment: string }>(
        `SELECT s.experiment AS experiment ${summarized(reader)}`,
        ...asked,
      );
      const known = new Set(rows.map(({ experiment }) => experiment));
      for (const id of some) if (!known.has(id)) unknown.add(id);
    }
    await turns.next();
  }
  return members.filter(({ experimentId }) => unknown.has(experimentId));
}

/** Summaries of a series that have all points of their experiment: most do. */
function summarized(reader: Reader): string {
  return `FROM experiment e
     JOIN metric_name m ON m.organization = e.organization AND m.name = $2 AND m.meta = ''
     JOIN metric_summary s ON s.metric = m.id AND s.experiment = e.id
     JOIN summarized z ON z.experiment = e.id JOIN head h ON h.experiment = e.id
     WHERE ${reader.isOneOf("e.id", "$1")} AND s.points > 0
       AND z.counted = 1 AND z.folded_seq = h.log_seq`;
}
