/**
 * Carries on what data of between 0.1.0 and its successor still has to look through: migrations
 * 033, 041 and 046 left its state under other names there.
 */
export const fromBefore = (): string[] => [
  // Where summarized has no column logged_before, the name is that of the query around it.
  `INSERT INTO installation (name, value)
   SELECT 'unindexed_annotations', '' FROM (SELECT 0 AS logged_before) AS absent
   WHERE EXISTS (SELECT 1 FROM installation WHERE name = 'unindexed_uses')
     OR EXISTS (SELECT 1 FROM summarized WHERE logged_before > 0)
   ON CONFLICT (name) DO NOTHING`,
  `INSERT INTO installation (name, value)
   SELECT 'unindexed_files', '' FROM (SELECT 0 AS logged_before) AS absent
   WHERE EXISTS (SELECT 1 FROM summarized WHERE logged_before > 0)
   ON CONFLICT (name) DO NOTHING`,
  `DELETE FROM installation WHERE name = 'unindexed_uses'`,
  `CREATE INDEX IF NOT EXISTS summarized_unlooked ON summarized (experiment) WHERE notes_before < 0`,
];
