import type { ColumnTypes } from "../column-types.ts";

/** Artifacts, locations and usage. Flags are 0 or 1. */
export const artifacts = (type: ColumnTypes): string[] => [
  // driver: built-in | s3 | aws | gcp | azure. Columns of one driver only are null elsewhere.
  // sealed_secret is AES-256-GCM with the organization's and the location's id as associated data;
  // capabilities is JSON, the findings of the probe.
  `CREATE TABLE location (
    id ${type.text} PRIMARY KEY,
    organization ${type.text} NOT NULL REFERENCES organization (id),
    driver ${type.text} NOT NULL,
    name ${type.text} NOT NULL,
    cloud ${type.text} NOT NULL,
    region ${type.text} NOT NULL,
    endpoint ${type.text} NOT NULL,
    bucket ${type.text} NOT NULL,
    path ${type.text} NOT NULL,
    connection ${type.text},
    signing_region ${type.text},
    path_style ${type.integer},
    access_key_id ${type.text},
    sealed_secret ${type.blob},
    capabilities ${type.text} NOT NULL,
    is_fallback ${type.integer} NOT NULL,
    is_default ${type.integer} NOT NULL,
    state ${type.text} NOT NULL,
    created_at_ms ${type.integer} NOT NULL,
    UNIQUE (organization, endpoint, bucket, path)
  )`,
  `CREATE UNIQUE INDEX location_fallback ON location (organization) WHERE is_fallback = 1`,
  `CREATE UNIQUE INDEX location_default ON location (organization, cloud) WHERE is_default = 1`,
  // The row that open, begin and commit lock. latest, latest_at_ms and latest_source are those of
  // the highest version; all three are null while there is none.
  `CREATE TABLE artifact (
    id ${type.text} PRIMARY KEY,
    organization ${type.text} NOT NULL REFERENCES organization (id),
    path ${type.text} NOT NULL,
    epoch ${type.integer} NOT NULL,
    versions ${type.integer} NOT NULL,
    bytes ${type.integer} NOT NULL,
    latest ${type.text},
    latest_at_ms ${type.integer},
    latest_source ${type.text},
    UNIQUE (organization, path)
  )`,
  // state starting | pending | completing | committed | abandoned. starting: the store's uploads
  // are not all begun. place is JSON {cloud, region, source}. prefix is what all keys of the upload
  // begin with, / at its end. committed_at_ms is set when completing begins, so that a commit that
  // is tried again writes the same manifest.
  `CREATE TABLE upload (
    id ${type.text} PRIMARY KEY,
    artifact ${type.text} NOT NULL REFERENCES artifact (id),
    organization ${type.text} NOT NULL REFERENCES organization (id),
    version ${type.text} NOT NULL,
    epoch ${type.integer} NOT NULL,
    state ${type.text} NOT NULL,
    location ${type.text} NOT NULL REFERENCES location (id),
    match ${type.text},
    warning ${type.text},
    place ${type.text} NOT NULL,
    meta ${type.text} NOT NULL,
    prefix ${type.text} NOT NULL,
    files ${type.integer} NOT NULL,
    bytes ${type.integer} NOT NULL,
    created_at_ms ${type.integer} NOT NULL,
    committed_at_ms ${type.integer}
  )`,
  `CREATE INDEX upload_artifact ON upload (artifact, created_at_ms)`,
  `CREATE INDEX upload_unfinished ON upload (created_at_ms) WHERE state IN ('starting', 'pending', 'completing')`,
  `CREATE INDEX upload_location ON upload (location)`,
  // One row for all files, as a JSON array in the writer's order: {name, size, partSize, parts,
  // key}, key without the upload's prefix. They are written once and always read together; 5,000
  // rows of their own would hold up everyone else's group commit.
  `CREATE TABLE upload_files (
    upload ${type.text} PRIMARY KEY REFERENCES upload (id),
    files ${type.text} NOT NULL
  )`,
  // The store's ids of the multipart uploads, a JSON array in the order of the files, null where
  // none was begun. Gone when the upload is committed or removed.
  `CREATE TABLE store_upload (
    upload ${type.text} PRIMARY KEY REFERENCES upload (id),
    ids ${type.text} NOT NULL
  )`,
  // The files of a version are those of its upload.
  `CREATE TABLE version (
    artifact ${type.text} NOT NULL REFERENCES artifact (id),
    name ${type.text} NOT NULL,
    upload ${type.text} NOT NULL UNIQUE REFERENCES upload (id),
    location ${type.text} NOT NULL REFERENCES location (id),
    epoch ${type.integer} NOT NULL,
    committed_at_ms ${type.integer} NOT NULL,
    files ${type.integer} NOT NULL,
    bytes ${type.integer} NOT NULL,
    meta ${type.text} NOT NULL,
    source ${type.text} NOT NULL,
    PRIMARY KEY (artifact, name)
  )`,
  `CREATE TABLE note (
    artifact ${type.text} NOT NULL REFERENCES artifact (id),
    name ${type.text} NOT NULL,
    content ${type.blob} NOT NULL,
    changed_at_ms ${type.integer} NOT NULL,
    PRIMARY KEY (artifact, name)
  )`,
  // Leftovers of abandoned uploads in their stores, to be removed. attempts, not_before_ms:
  // back-off.
  `CREATE TABLE removal (
    upload ${type.text} PRIMARY KEY REFERENCES upload (id),
    location ${type.text} NOT NULL REFERENCES location (id),
    reason ${type.text} NOT NULL,
    queued_at_ms ${type.integer} NOT NULL,
    not_before_ms ${type.integer} NOT NULL,
    attempts ${type.integer} NOT NULL
  )`,
  `CREATE INDEX removal_due ON removal (not_before_ms)`,
  // match and transfer are '' where the reply has null: NULLs would not group.
  `CREATE TABLE usage (
    organization ${type.text} NOT NULL REFERENCES organization (id),
    day ${type.text} NOT NULL,
    kind ${type.text} NOT NULL,
    place_cloud ${type.text} NOT NULL,
    place_region ${type.text} NOT NULL,
    location ${type.text} NOT NULL REFERENCES location (id),
    match ${type.text} NOT NULL,
    transfer ${type.text} NOT NULL,
    bytes ${type.integer} NOT NULL,
    count ${type.integer} NOT NULL,
    PRIMARY KEY (organization, day, kind, place_cloud, place_region, location, match, transfer)
  )`,
];
