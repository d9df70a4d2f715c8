import type { ColumnTypes } from "../column-types.ts";

/** Details of sign-ins for people, and of storage and changes for organizations. */
export const accountAndUsage = (type: ColumnTypes): string[] => [
  // device is the User-Agent at the sign-in; used_at_ms is exact to five minutes. All three are
  // null for older rows.
  `ALTER TABLE session ADD COLUMN device ${type.text}`,
  `ALTER TABLE session ADD COLUMN address ${type.text}`,
  `ALTER TABLE session ADD COLUMN used_at_ms ${type.integer}`,
  // They are those of the program that got the tokens.
  `ALTER TABLE oauth_grant ADD COLUMN device ${type.text}`,
  `ALTER TABLE oauth_grant ADD COLUMN address ${type.text}`,
  `ALTER TABLE oauth_grant ADD COLUMN used_at_ms ${type.integer}`,
  // Points by the UTC day on which they were stored, days since 1970-01-01. The sum over an
  // organization's rows equals that over the heads of its experiments: day 0 has the points from
  // before days were distinguished. writer is that of stored_amount.
  `CREATE TABLE recorded_points (
    organization ${type.text} NOT NULL,
    day ${type.integer} NOT NULL,
    writer ${type.integer} NOT NULL,
    points ${type.integer} NOT NULL,
    PRIMARY KEY (organization, day, writer)
  )${type.clustered}`,
  `INSERT INTO recorded_points (organization, day, writer, points)
   SELECT experiment.organization, 0, 0, sum(head.points)
   FROM head JOIN experiment ON experiment.id = head.experiment
   GROUP BY experiment.organization HAVING sum(head.points) > 0`,
  `CREATE INDEX audit_action ON audit (organization, action, id)`,
  `CREATE INDEX audit_actor ON audit (organization, actor, id)`,
  `CREATE INDEX audit_subject ON audit (organization, subject, id)`,
  // The bytes of a location are summed from the index alone.
  `CREATE INDEX upload_stored ON upload (organization, location, state, bytes)`,
];
