/** Why an older program might not go on beside these statements; empty for an expansion. */
export function notExpanding(statements: readonly string[]): string[] {
  const made = new Set(
    statements.flatMap((sql) => /^CREATE TABLE (?:IF NOT EXISTS )?(\w+)/.exec(sql)?.[1] ?? []),
  );
  return statements.flatMap((sql) => {
    const text = sql.replaceAll(/\s+/g, " ");
    const why = reason(text, made);
    return why === undefined ? [] : [`${text.slice(0, 80)}: ${why}`];
  });
}

function reason(sql: string, made: ReadonlySet<string>): string | undefined {
  if (sql.startsWith("CREATE TABLE ")) return ofReferences(sql, made);
  const [, index] = /^CREATE (?:UNIQUE )?INDEX \w+ ON (\w+) /.exec(sql) ?? [];
  if (index !== undefined)
    return made.has(index) ? undefined : "an index on an older table holds up its writers";
  const [, altered, column] = /^ALTER TABLE (\w+) (.*)$/.exec(sql) ?? [];
  if (altered !== undefined && made.has(altered)) return undefined;
  if (column !== undefined) return ofColumn(column);
  const [, filled] = /^INSERT INTO (\w+) /.exec(sql) ?? [];
  if (filled !== undefined && made.has(filled)) return undefined;
  return "only tables, columns, and indexes and rows of new tables are added";
}

/** The older program deletes rows of older tables without knowing who refers to them. */
function ofReferences(sql: string, made: ReadonlySet<string>): string | undefined {
  for (const [, table, rest] of sql.matchAll(/REFERENCES (\w+) ?\([^)]*\)([^,)]*)/g)) {
    if (!made.has(table) && !rest.includes("ON DELETE CASCADE"))
      return `the older program could not delete from ${table} any more`;
  }
  return undefined;
}

/** With a constant default, both databases add a column without writing the rows. */
function ofColumn(change: string): string | undefined {
  const [, rest] = /^ADD COLUMN "?\w+"? (.*)$/.exec(change) ?? [];
  if (rest === undefined) return "an older table only gets columns";
  if (/\b(?:REFERENCES|CHECK|UNIQUE|GENERATED|PRIMARY)\b/.test(rest))
    return "what the older program writes might break the rule of the column";
  const [, value] = /\bDEFAULT (.*)$/.exec(rest) ?? [];
  if (value === undefined)
    return rest.includes("NOT NULL") ? "the older program writes no such column" : undefined;
  return /^(?:-?\d+|'[^']*')$/.test(value) ? undefined : "the default is not constant";
}
