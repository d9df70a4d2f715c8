import type { ColumnTypes } from "../column-types.ts";

/** Connected clouds, and the keys of the tokens by which they know this installation. */
export const connections = (type: ColumnTypes): string[] => [
  // state pending | active. identifiers is JSON, as PUT /connections takes it: null while pending.
  // error is the last thing that the cloud refused, for people. A connection that is removed is
  // gone: its id is in no token again.
  `CREATE TABLE connection (
    id ${type.text} PRIMARY KEY,
    organization ${type.text} NOT NULL REFERENCES organization (id),
    cloud ${type.text} NOT NULL,
    name ${type.text} NOT NULL,
    state ${type.text} NOT NULL,
    identifiers ${type.text},
    error ${type.text},
    created_at_ms ${type.integer} NOT NULL
  )`,
  `CREATE INDEX connection_organization ON connection (organization, created_at_ms)`,
  `CREATE INDEX location_connection ON location (connection) WHERE connection IS NOT NULL`,
  // id is the kid of tokens. state next | active | retired. public_key is a JWK (kty, n, e).
  // sealed_key is the private key as PKCS #8, AES-256-GCM with the id as associated data; null once
  // retired. changed_at_ms: since when it has been in its state.
  `CREATE TABLE issuer_key (
    id ${type.text} PRIMARY KEY,
    state ${type.text} NOT NULL,
    public_key ${type.text} NOT NULL,
    sealed_key ${type.blob},
    created_at_ms ${type.integer} NOT NULL,
    changed_at_ms ${type.integer} NOT NULL
  )`,
  `CREATE UNIQUE INDEX issuer_key_current ON issuer_key (state) WHERE state IN ('next', 'active')`,
];
