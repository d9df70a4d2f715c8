import type { ColumnTypes } from "../column-types.ts";

/** Guest links, and the experiments that each shows. */
export const guestLinks = (type: ColumnTypes): string[] => [
  // report null: it shows experiments alone. used_at_ms null: it was never opened.
  `CREATE TABLE guest_link (
    id ${type.text} PRIMARY KEY,
    hash ${type.blob} NOT NULL UNIQUE,
    organization ${type.text} NOT NULL REFERENCES organization (id),
    name ${type.text} NOT NULL,
    report ${type.text},
    is_anonymous ${type.integer} NOT NULL,
    shows_console ${type.integer} NOT NULL,
    shows_files ${type.integer} NOT NULL,
    created_by ${type.text} NOT NULL,
    created_at_ms ${type.integer} NOT NULL,
    expires_at_ms ${type.integer} NOT NULL,
    ended_at_ms ${type.integer},
    used_at_ms ${type.integer},
    uses ${type.integer} NOT NULL DEFAULT 0
  )${type.updatedInPlace}`,
  `CREATE INDEX guest_link_organization ON guest_link (organization, created_at_ms)`,
  // number: its place in a comparison, from 0.
  `CREATE TABLE guest_link_experiment (
    link ${type.text} NOT NULL REFERENCES guest_link (id),
    experiment ${type.text} NOT NULL REFERENCES experiment (id),
    number ${type.integer} NOT NULL,
    PRIMARY KEY (link, experiment)
  )`,
  `CREATE INDEX guest_link_experiment_experiment ON guest_link_experiment (experiment)`,
  // 0: only admins and owners make guest links.
  `ALTER TABLE organization ADD COLUMN members_share ${type.integer} NOT NULL DEFAULT 1`,
];
