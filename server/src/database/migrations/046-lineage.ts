import type { ColumnTypes } from "../column-types.ts";

/**
 * Versions of artifacts that experiments used and wrote. A row stays when its version is deleted,
 * and goes with its experiment.
 */
export const lineage = (type: ColumnTypes): string[] => [
  // direction: 0 used, 1 wrote. subject: the path of the artifact, `@`, and the name of the
  // version, which has no such character. role: that of the version in the experiment, or ''.
  // named: how the experiment asked for it, such as `latest`, or ''. step: of a written version.
  `CREATE TABLE lineage (
    experiment ${type.text} NOT NULL REFERENCES experiment (id),
    direction ${type.integer} NOT NULL,
    subject ${type.text} NOT NULL,
    role ${type.text} NOT NULL,
    organization ${type.text} NOT NULL REFERENCES organization (id),
    named ${type.text} NOT NULL,
    step ${type.integer},
    at_ms ${type.integer} NOT NULL,
    PRIMARY KEY (experiment, direction, subject, role)
  )${type.clustered}`,
  // Its rows that are uses, which have a limit.
  `ALTER TABLE summarized ADD COLUMN uses ${type.integer} NOT NULL DEFAULT 0`,
  `CREATE INDEX lineage_subject ON lineage (organization, subject, direction, experiment)`,
  // Annotations and versions from before, to be looked through once by the background work: the
  // value is the last one that was.
  `INSERT INTO installation (name, value)
   SELECT 'unindexed_annotations', '' WHERE EXISTS (SELECT 1 FROM annotation)
   ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  `INSERT INTO installation (name, value)
   SELECT 'unindexed_versions', '' WHERE EXISTS (SELECT 1 FROM version)
   ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  // Inputs and outputs by MLflow's clients, from their other ends.
  `CREATE INDEX run_model_model ON run_model (model, direction)`,
  `CREATE INDEX logged_model_run ON logged_model (organization, source_run)`,
  `CREATE INDEX dataset_digest ON dataset (organization, digest)`,
];
