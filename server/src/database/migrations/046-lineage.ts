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
  `INSERT INTO lineage (experiment, direction, subject, role, organization, named, step, at_ms)
   SELECT written.experiment, 1, artifact.path || '@' || written.version, '', written.organization, '',
     written.step, version.committed_at_ms
   FROM version_experiment AS written JOIN artifact ON artifact.id = written.artifact
   JOIN version ON version.artifact = written.artifact AND version.name = written.version`,
  // Uses were annotations; the background work adds those of before, as in migration 041.
  `UPDATE summarized SET meta_version = meta_version + 1, logged_before = 1 +
     coalesce((SELECT max(number) FROM annotation WHERE experiment = summarized.experiment), 0)
   WHERE experiment IN (SELECT experiment FROM annotation WHERE meta LIKE '%"artifact-used"%')`,
  // Inputs and outputs by MLflow's clients, from their other ends.
  `CREATE INDEX run_model_model ON run_model (model, direction)`,
  `CREATE INDEX logged_model_run ON logged_model (organization, source_run)`,
  `CREATE INDEX dataset_digest ON dataset (organization, digest)`,
];
