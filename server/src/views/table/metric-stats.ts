import type { Operator, Stat } from "@lossless/protocol";
import { smallness } from "../../experiments/summaries/summary.ts";
import type { SqlText } from "./sql-text.ts";

/**
 * The kind of a summary's last value: 0 a number, -1 and 1 an infinity, 2 NaN. Of two values at one
 * step and time the one that is not finite counts.
 */
const lastKind = `CASE WHEN nonfinite = 0 OR (points > 0 AND (last_step > nonfinite_step
  OR (last_step = nonfinite_step AND last_timestamp > nonfinite_timestamp))) THEN 0
  ELSE nonfinite_kind END`;

/** The mean lies between the least and the largest value, also where no double holds their sum. */
const smallMean = "small_sum / NULLIF(points, 0)";
const mean = `CASE WHEN ABS(sum) <= ${Number.MAX_VALUE} THEN sum / NULLIF(points, 0)
  WHEN ${smallMean} >= max * ${smallness} THEN max WHEN ${smallMean} <= min * ${smallness} THEN min
  ELSE ${smallMean} * ${(1 / smallness).toFixed(1)} END`;

/** The columns of a metric's summary. Names are lower case, and all other words are not. */
export const statColumns: Record<Stat, string> = {
  last: "last",
  first: "first",
  min: "min",
  max: "max",
  mean: `(${mean})`,
  count: "points",
  nonfinite: "nonfinite",
  firststep: "first_step",
  laststep: `(CASE WHEN (${lastKind}) = 0 THEN last_step ELSE nonfinite_step END)`,
  minstep: "min_step",
  maxstep: "max_step",
};

/** Columns that a statement has to select for `statValue`. */
export const statSelection = [
  ...Object.entries(statColumns).map(([stat, sql]) => `${sql} AS stat_${stat}`),
  `(${lastKind}) AS last_kind`,
].join(", ");

export type StatRow = Record<`stat_${Stat}` | "last_kind", number>;

/** Returns a number, or the word of a value that is not finite; null: the row has no such value. */
export function statValue(row: StatRow, stat: Stat): number | string | null {
  if (stat === "last" && row.last_kind !== 0)
    return row.last_kind === 2 ? "NaN" : row.last_kind > 0 ? "Infinity" : "-Infinity";
  return row.stat_count > 0 || isOfAll(stat) ? row[`stat_${stat}`] : null;
}

/** Rows of summaries have it also where no value is finite. */
function isOfAll(stat: Stat): boolean {
  return stat === "last" || stat === "laststep" || stat === "count" || stat === "nonfinite";
}

/** Returns the condition that a row of summaries has the statistic; "" where every row has it. */
export function hasStat(stat: Stat, alias = ""): string {
  return isOfAll(stat) ? "" : ` AND ${alias}points > 0`;
}

/**
 * Returns the expressions by which rows are sorted, null where there is no row. Infinities are
 * behind all numbers and NaN behind them, in both directions.
 */
export function sortedStat(stat: Stat, alias: string): { sql: string; isRank: boolean }[] {
  const of = (sql: string) => sql.replaceAll(/\b(?=[a-z])/g, alias);
  if (stat !== "last") return [{ sql: of(statColumns[stat]), isRank: false }];
  const kind = of(lastKind);
  const number = `(CASE (${kind}) WHEN 0 THEN ${of("last")} WHEN 1 THEN 1.0 WHEN -1 THEN -1.0 WHEN 2 THEN 0.0 END)`;
  return [
    {
      sql: `(CASE (${kind}) WHEN 0 THEN 0 WHEN 2 THEN 2 WHEN 1 THEN 1 WHEN -1 THEN 1 END)`,
      isRank: true,
    },
    { sql: number, isRank: false },
  ];
}

/** Returns a test of a statistic with any double. NaN and infinities differ from every number. */
export function statTest(stat: Stat, operator: Operator, value: number, text: SqlText): string {
  const [kind, number] = [stat === "last" ? `(${lastKind})` : "0", statColumns[stat]];
  const isEither = operator === "!=" ? "<>" : operator;
  if (Number.isFinite(value)) {
    const isSo = `${kind} = 0 AND ${number} ${isEither} ${text.number(value)}`;
    const side = operator.startsWith(">") ? `${kind} = 1` : `${kind} = -1`;
    if (operator === "=") return `(${isSo})`;
    return `(${operator === "!=" ? `${kind} <> 0` : side} OR (${isSo}))`;
  }
  if (Number.isNaN(value)) {
    const isEqual = operator === "=" || operator === "!=";
    return isEqual ? `(${kind} ${isEither} 2)` : "(1 = 0)";
  }
  const own = value > 0 ? 1 : -1;
  if (operator === "=" || operator === "!=") return `(${kind} ${isEither} ${own})`;
  // NaN is on no side.
  return `(${kind} <> 2 AND ${kind} ${isEither} ${own})`;
}
