import { endsWith, nameOf, type WantedField } from "./wanted-field.ts";

/** A query with an existing field in place of a name that is none. */
export interface Mend {
  field: string;
  query: string;
  /** The place behind the field. */
  end: number;
  /** Whether experiments of the table have the field. */
  isFound: boolean;
}

/**
 * The queries that may be meant by one with an unknown name. Fields that experiments of the table
 * have come alone, if there are some; of these, those that have this very name and then those whose
 * last part it is, otherwise all.
 */
export function mendsOf(
  query: string,
  { name, start, end }: Pick<WantedField, "name" | "start" | "end">,
  fields: readonly string[],
  found: ReadonlySet<string> = new Set(fields),
): readonly Mend[] {
  const here = fields.filter((field) => found.has(field));
  return closest(name, here.length > 0 ? here : fields).map((field) => ({
    field,
    query: query.slice(0, start) + field + query.slice(end),
    end: start + field.length,
    isFound: found.has(field),
  }));
}

/**
 * The mend for a name that only one field of the table can mean, also if the table shows a
 * statistic of it.
 */
export function onlyMend(mends: readonly Mend[]): Mend | undefined {
  const names = new Set(mends.map(({ field }) => nameOf(field)));
  return names.size === 1 && mends[0].isFound ? mends[0] : undefined;
}

function closest(word: string, fields: readonly string[]): readonly string[] {
  const ended = fields.filter((field) => endsWith(field, word));
  if (ended.length === 0) return fields;
  const isSame = (field: string) => nameOf(field) === word;
  return [...ended.filter(isSame), ...ended.filter((field) => !isSame(field))];
}
