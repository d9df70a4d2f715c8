import type { ColumnTypes } from "../column-types.ts";

/** Sign-on by an organization's identity provider, and tokens of members. */
export const signOn = (type: ColumnTypes): string[] => [
  // Null: the person signed in with their password and acts wherever they belong. Else the only
  // organization for which it acts: that whose provider vouched for them.
  `ALTER TABLE session ADD COLUMN only_organization ${type.text}`,
  `ALTER TABLE oauth_grant ADD COLUMN only_organization ${type.text}`,
  // 1: no human, acts by tokens alone; its address is its name and the organization's id.
  `ALTER TABLE person ADD COLUMN is_service ${type.integer} NOT NULL DEFAULT 0`,
  // domains and roles are JSON: ["acme.test"], [{"group":"ml","role":"member"}]. default_role null:
  // people whose groups give no role are refused. is_forced 1: members sign in no other way, owners
  // may.
  `CREATE TABLE sign_on (
    organization ${type.text} PRIMARY KEY REFERENCES organization (id),
    name ${type.text} NOT NULL,
    issuer ${type.text} NOT NULL,
    client_id ${type.text} NOT NULL,
    sealed_secret ${type.blob} NOT NULL,
    scopes ${type.text} NOT NULL,
    domains ${type.text} NOT NULL,
    groups_claim ${type.text},
    roles ${type.text} NOT NULL,
    default_role ${type.text},
    is_forced ${type.integer} NOT NULL,
    revision ${type.integer} NOT NULL,
    changed_at_ms ${type.integer} NOT NULL
  )`,
  // Persons by a provider's subject. Two organizations may have one provider, and a person in each.
  `CREATE TABLE sign_on_identity (
    organization ${type.text} NOT NULL REFERENCES organization (id),
    issuer ${type.text} NOT NULL,
    subject ${type.text} NOT NULL,
    person ${type.text} NOT NULL REFERENCES person (id),
    created_at_ms ${type.integer} NOT NULL,
    PRIMARY KEY (organization, issuer, subject)
  )`,
  `CREATE INDEX sign_on_identity_person ON sign_on_identity (organization, person)`,
  // scope read | write | role. expires_at_ms null: never.
  `CREATE TABLE personal_token (
    id ${type.text} PRIMARY KEY,
    hash ${type.blob} NOT NULL UNIQUE,
    organization ${type.text} NOT NULL REFERENCES organization (id),
    person ${type.text} NOT NULL REFERENCES person (id),
    name ${type.text} NOT NULL,
    scope ${type.text} NOT NULL,
    created_by ${type.text} NOT NULL,
    created_at_ms ${type.integer} NOT NULL,
    expires_at_ms ${type.integer},
    used_at_ms ${type.integer},
    ended_at_ms ${type.integer}
  )`,
  `CREATE INDEX personal_token_person ON personal_token (organization, person)`,
];
