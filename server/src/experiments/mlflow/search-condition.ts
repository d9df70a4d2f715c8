import type { Reader } from "../../database/database.ts";
import {
  type Comparator,
  type Condition,
  isAscii,
  lowerAscii,
  withoutEscape,
} from "./condition.ts";
import { columnOf, isStorable, type SearchText } from "./search-text.ts";

/** Returns the condition on matching runs as SQL; undefined: only `fits` can decide. */
export function conditionText(
  reader: Reader,
  text: SearchText,
  condition: Condition,
): string | undefined {
  const { field } = condition;
  if (field.kind === "dataset") {
    const column = field.key === "context" ? "run_input.context" : `dataset.${field.key}`;
    const own = textCondition(reader, text, column, condition);
    return (
      own &&
      `EXISTS (SELECT 1 FROM run_input JOIN dataset ON dataset.id = run_input.dataset
        WHERE run_input.experiment = e.id AND ${own})`
    );
  }
  const column = columnOf(text, field);
  if (column.kind === "text") return textCondition(reader, text, column.sql, condition);
  const { comparator, value } = condition;
  if (typeof value !== "number" || !Number.isFinite(value) || !isOrder(comparator))
    return undefined;
  if (column.kind === "metric") return metricCondition(text, column, comparator, value);
  return `${column.sql} ${signs[comparator]} ${text.number(value)}`;
}

/**
 * Returns a condition on a column of texts as SQL; undefined: only `fits` can decide.
 */
export function textCondition(
  reader: Reader,
  text: SearchText,
  sql: string,
  { comparator, value }: Condition,
): string | undefined {
  if (comparator === "IS NULL" || comparator === "IS NOT NULL") return `${sql} ${comparator}`;
  if (comparator === "IN" || comparator === "NOT IN") {
    if (!Array.isArray(value) || !value.every(isStorable)) return undefined;
    const isOne = reader.isOneOf(sql, text.bind(JSON.stringify(value)));
    return comparator === "IN" ? isOne : `(${sql} IS NOT NULL AND NOT (${isOne}))`;
  }
  if (typeof value !== "string" || !isStorable(value)) return undefined;
  if (comparator === "=" || comparator === "!=")
    return `${sql} ${signs[comparator]} ${text.text(value)}`;
  const bind = (pattern: string) => text.bind(pattern);
  if (comparator === "LIKE") return reader.isLike(sql, withoutEscape(value), bind);
  // Letters of all scripts have no case that both databases see.
  if (comparator !== "ILIKE" || !isAscii(value)) return undefined;
  return reader.isLike(reader.lowered(sql), withoutEscape(lowerAscii(value)), bind);
}

const signs = { "=": "=", "!=": "<>", ">": ">", ">=": ">=", "<": "<", "<=": "<=" } as const;

function isOrder(comparator: Comparator): comparator is keyof typeof signs {
  return Object.hasOwn(signs, comparator);
}

/**
 * Returns the condition on a metric. Kinds are those of `run_metric`: for NaN only `!=` is true.
 */
function metricCondition(
  text: SearchText,
  { sql, kindSql }: { sql: string; kindSql: string },
  comparator: keyof typeof signs,
  value: number,
): string {
  const isSo = `${kindSql} = 0 AND ${sql} ${signs[comparator]} ${text.number(value)}`;
  if (comparator === "=") return `(${isSo})`;
  if (comparator === "!=") return `(${kindSql} <> 0 OR (${isSo}))`;
  return `(${kindSql} = ${comparator.startsWith(">") ? 1 : -1} OR (${isSo}))`;
}
