import type { Reader } from "../../../database/database.ts";

/**
 * Finds aliases that differ from their last change, and gaps in histories, one sentence each. For
 * `lossless verify`.
 */
export async function wrongAliases(reader: Reader): Promise<{ id: string; sentence: string }[]> {
  const apart = await reader.all<{ id: string; name: string }>(
    `SELECT coalesce(artifact.path, last.owner) AS id, last.name FROM (
       SELECT owner, name, number, version_after,
         row_number() OVER (PARTITION BY owner, name ORDER BY number DESC) AS place
       FROM alias_change) AS last
     LEFT JOIN alias ON alias.owner = last.owner AND alias.name = last.name
     LEFT JOIN artifact ON artifact.id = last.owner
     WHERE last.place = 1 AND (coalesce(alias.version, '') <> coalesce(last.version_after, '')
       OR coalesce(alias.number, last.number) <> last.number)
     UNION ALL
     SELECT alias.owner AS id, alias.name FROM alias WHERE NOT EXISTS (
       SELECT 1 FROM alias_change
       WHERE alias_change.owner = alias.owner AND alias_change.number = alias.number)
     ORDER BY 1, 2`,
  );
  const broken = await reader.all<{ id: string; name: string }>(
    `SELECT coalesce(artifact.path, owner) AS id, changed.name FROM (
       SELECT owner, name, number, version_before,
         lag(number) OVER (PARTITION BY owner ORDER BY number) AS number_above,
         lag(version_after) OVER (PARTITION BY owner, name ORDER BY number) AS version_above
       FROM alias_change) AS changed
     LEFT JOIN artifact ON artifact.id = changed.owner
     WHERE number <> coalesce(number_above, 0) + 1
       OR coalesce(version_before, '') <> coalesce(version_above, '')
     ORDER BY 1, 2`,
  );
  return [
    ...apart.map(({ id, name }) => ({
      id,
      sentence: `the alias ${name} does not point to where its last change moved it`,
    })),
    ...broken.map(({ id, name }) => ({
      id,
      sentence: `the history of the alias ${name} has a gap`,
    })),
  ];
}
