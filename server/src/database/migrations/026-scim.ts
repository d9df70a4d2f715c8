import type { ColumnTypes } from "../column-types.ts";

/** Users and groups that an organization's identity provider sends by SCIM. */
export const scim = (type: ColumnTypes): string[] => [
  // One a provider; a new one takes the place of the old.
  `CREATE TABLE scim_token (
    organization ${type.text} PRIMARY KEY REFERENCES organization (id),
    hash ${type.blob} NOT NULL UNIQUE,
    created_by ${type.text} NOT NULL,
    created_at_ms ${type.integer} NOT NULL,
    used_at_ms ${type.integer}
  )`,
  // user_key is user_name in lower case; address in lower case, by which a member is found. profile
  // is JSON: the fields that are only returned. person null: there is none yet. given_role is the
  // role that groups of SCIM gave last; null: none.
  `CREATE TABLE scim_user (
    id ${type.text} PRIMARY KEY,
    organization ${type.text} NOT NULL REFERENCES organization (id),
    user_name ${type.text} NOT NULL,
    user_key ${type.text} NOT NULL,
    external_id ${type.text},
    address ${type.text} NOT NULL,
    is_active ${type.integer} NOT NULL,
    person ${type.text} REFERENCES person (id),
    given_role ${type.text},
    profile ${type.text} NOT NULL,
    created_at_ms ${type.integer} NOT NULL,
    changed_at_ms ${type.integer} NOT NULL,
    UNIQUE (organization, user_key),
    UNIQUE (organization, address)
  )`,
  `CREATE INDEX scim_user_external ON scim_user (organization, external_id)`,
  `CREATE INDEX scim_user_person ON scim_user (organization, person)`,
  `CREATE TABLE scim_group (
    id ${type.text} PRIMARY KEY,
    organization ${type.text} NOT NULL REFERENCES organization (id),
    name ${type.text} NOT NULL,
    name_key ${type.text} NOT NULL,
    external_id ${type.text},
    created_at_ms ${type.integer} NOT NULL,
    changed_at_ms ${type.integer} NOT NULL,
    UNIQUE (organization, name_key)
  )`,
  `CREATE TABLE scim_member (
    scim_group ${type.text} NOT NULL REFERENCES scim_group (id),
    scim_user ${type.text} NOT NULL REFERENCES scim_user (id),
    PRIMARY KEY (scim_group, scim_user)
  )`,
  `CREATE INDEX scim_member_user ON scim_member (scim_user)`,
];
