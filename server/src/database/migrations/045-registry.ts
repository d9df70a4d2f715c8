import type { ColumnTypes } from "../column-types.ts";

/** Aliases of versions with their history, and registered models. */
export const registry = (type: ColumnTypes): string[] => [
  // owner: an artifact, or a registered model. version stays what it is when the version is
  // deleted: names and numbers of versions are not given again. number: of its last change.
  `CREATE TABLE alias (
    owner ${type.text} NOT NULL,
    name ${type.text} NOT NULL,
    organization ${type.text} NOT NULL REFERENCES organization (id),
    version ${type.text} NOT NULL,
    number ${type.integer} NOT NULL,
    PRIMARY KEY (owner, name)
  )${type.updatedInPlace}`,
  `CREATE INDEX alias_version ON alias (owner, version)`,
  `CREATE INDEX alias_organization ON alias (organization)`,
  // Changes of an owner's aliases, numbered from 1 without gaps. version_before null: there was no
  // such alias; version_after null: it was removed.
  `CREATE TABLE alias_change (
    owner ${type.text} NOT NULL,
    number ${type.integer} NOT NULL,
    organization ${type.text} NOT NULL REFERENCES organization (id),
    name ${type.text} NOT NULL,
    version_before ${type.text},
    version_after ${type.text},
    actor ${type.text} NOT NULL,
    at_ms ${type.integer} NOT NULL,
    PRIMARY KEY (owner, number)
  )`,
  `CREATE INDEX alias_change_name ON alias_change (owner, name, number)`,
  `CREATE INDEX alias_change_organization ON alias_change (organization)`,
  // The Python client kept aliases as notes, alias.NAME. Those that still name a version are made
  // aliases.
  ...ofNotes(type),
  // versions: the highest number given to a version.
  `CREATE TABLE registered_model (
    id ${type.text} PRIMARY KEY,
    organization ${type.text} NOT NULL REFERENCES organization (id),
    name ${type.text} NOT NULL,
    description ${type.text} NOT NULL,
    versions ${type.integer} NOT NULL,
    created_by ${type.text} NOT NULL,
    created_at_ms ${type.integer} NOT NULL,
    changed_at_ms ${type.integer} NOT NULL,
    UNIQUE (organization, name)
  )${type.updatedInPlace}`,
  `CREATE TABLE registered_model_tag (
    model ${type.text} NOT NULL REFERENCES registered_model (id),
    key ${type.text} NOT NULL,
    value ${type.text} NOT NULL,
    PRIMARY KEY (model, key)
  )`,
  // A version of a model is a version of an artifact (artifact, artifact_version), or files at a
  // source, an address of MLflow's: of a run, of a logged model, or elsewhere. storage: the
  // source, or that of the version of a model which the source names. is_archived: it was moved to
  // MLflow's stage Archived.
  `CREATE TABLE model_version (
    model ${type.text} NOT NULL REFERENCES registered_model (id),
    number ${type.integer} NOT NULL,
    artifact ${type.text} REFERENCES artifact (id),
    artifact_version ${type.text},
    source ${type.text} NOT NULL,
    storage ${type.text} NOT NULL,
    run ${type.text},
    logged_model ${type.text},
    run_link ${type.text},
    description ${type.text} NOT NULL,
    is_archived ${type.integer} NOT NULL,
    created_by ${type.text} NOT NULL,
    created_at_ms ${type.integer} NOT NULL,
    changed_at_ms ${type.integer} NOT NULL,
    PRIMARY KEY (model, number)
  )${type.updatedInPlace}`,
  `CREATE INDEX model_version_artifact ON model_version (artifact, artifact_version)`,
  `CREATE INDEX model_version_run ON model_version (run)`,
  `CREATE TABLE model_version_tag (
    model ${type.text} NOT NULL,
    number ${type.integer} NOT NULL,
    key ${type.text} NOT NULL,
    value ${type.text} NOT NULL,
    PRIMARY KEY (model, number, key),
    FOREIGN KEY (model, number) REFERENCES model_version (model, number)
  )`,
];

function ofNotes(type: ColumnTypes): string[] {
  return [
    `INSERT INTO alias_change (owner, number, organization, name, version_before, version_after, actor, at_ms)
     SELECT artifact.id, row_number() OVER (PARTITION BY artifact.id ORDER BY note.changed_at_ms, note.name),
       artifact.organization, substr(note.name, 7), NULL, version.name, 'service', note.changed_at_ms
     FROM note JOIN artifact ON artifact.id = note.artifact
     JOIN version ON version.artifact = note.artifact AND version.name = ${type.textOf("note.content")}
     WHERE substr(note.name, 1, 6) = 'alias.' AND substr(note.name, 7, 1) NOT IN ('', '.', '_', '-')
       AND lower(substr(note.name, 7)) <> 'latest'`,
    `INSERT INTO alias (owner, name, organization, version, number)
     SELECT owner, name, organization, version_after, number FROM alias_change`,
    // 256: 128 for each row.
    `INSERT INTO stored_amount (organization, writer, bytes, experiments, partitions, uploads)
     SELECT organization, 0, sum(256 + 2 * (octet_length(name) + octet_length(version))), 0, 0, 0
     FROM alias WHERE 1 = 1 GROUP BY organization
     ON CONFLICT (organization, writer) DO UPDATE SET bytes = stored_amount.bytes + excluded.bytes`,
  ];
}
