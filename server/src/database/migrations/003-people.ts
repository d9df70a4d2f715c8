import type { ColumnTypes } from "../column-types.ts";

/**
 * People, their sessions and sign-ins of the command line. Every secret is stored as its SHA-256,
 * passwords as a slow hash.
 */
export const people = (type: ColumnTypes): string[] => [
  // email is lower case. provisioned_password is the hash that the provision file made last, so
  // that a password that was changed since stays changed while the file says the same as before.
  `CREATE TABLE person (
    id ${type.text} PRIMARY KEY,
    email ${type.text} NOT NULL UNIQUE,
    password ${type.text} NOT NULL,
    provisioned_password ${type.text},
    created_at_ms ${type.integer} NOT NULL,
    password_changed_at_ms ${type.integer} NOT NULL
  )`,
  `CREATE TABLE membership (
    organization ${type.text} NOT NULL REFERENCES organization (id),
    person ${type.text} NOT NULL REFERENCES person (id),
    role ${type.text} NOT NULL,
    created_at_ms ${type.integer} NOT NULL,
    PRIMARY KEY (organization, person)
  )`,
  `CREATE INDEX membership_person ON membership (person)`,
  // For the web application. organization is the active one, null when there is none.
  `CREATE TABLE session (
    hash ${type.blob} PRIMARY KEY,
    person ${type.text} NOT NULL REFERENCES person (id),
    organization ${type.text} REFERENCES organization (id),
    created_at_ms ${type.integer} NOT NULL,
    expires_at_ms ${type.integer} NOT NULL
  )`,
  `CREATE INDEX session_person ON session (person)`,
  // One-time links: invitations, and the set-up link of the first start (role owner, any address).
  // With a person the link sets that person's password anew and changes nothing else.
  `CREATE TABLE invitation (
    id ${type.text} PRIMARY KEY,
    hash ${type.blob} NOT NULL UNIQUE,
    organization ${type.text} NOT NULL REFERENCES organization (id),
    email ${type.text},
    role ${type.text} NOT NULL,
    person ${type.text} REFERENCES person (id),
    created_by ${type.text} NOT NULL,
    created_at_ms ${type.integer} NOT NULL,
    expires_at_ms ${type.integer} NOT NULL,
    ended_at_ms ${type.integer}
  )`,
  `CREATE INDEX invitation_organization ON invitation (organization)`,
  // A sign-in of the command line: everything that one consent gave. Ended when a person ends it,
  // when a refresh token is used twice, when the password changes.
  `CREATE TABLE oauth_grant (
    id ${type.text} PRIMARY KEY,
    person ${type.text} NOT NULL REFERENCES person (id),
    created_at_ms ${type.integer} NOT NULL,
    ended_at_ms ${type.integer}
  )`,
  `CREATE INDEX oauth_grant_person ON oauth_grant (person)`,
  // kind access | refresh. used_at_ms: a refresh token gives a new pair once.
  `CREATE TABLE oauth_token (
    hash ${type.blob} PRIMARY KEY,
    oauth_grant ${type.text} NOT NULL REFERENCES oauth_grant (id),
    kind ${type.text} NOT NULL,
    created_at_ms ${type.integer} NOT NULL,
    expires_at_ms ${type.integer} NOT NULL,
    used_at_ms ${type.integer}
  )`,
  `CREATE INDEX oauth_token_grant ON oauth_token (oauth_grant)`,
  `CREATE TABLE oauth_code (
    hash ${type.blob} PRIMARY KEY,
    oauth_grant ${type.text} NOT NULL REFERENCES oauth_grant (id),
    redirect_uri ${type.text} NOT NULL,
    code_challenge ${type.text} NOT NULL,
    expires_at_ms ${type.integer} NOT NULL,
    used_at_ms ${type.integer}
  )`,
  // state pending | approved | denied | redeemed. person is set when a signed-in person enters the
  // user code: from then on no other person can approve it.
  `CREATE TABLE oauth_device (
    hash ${type.blob} PRIMARY KEY,
    user_code_hash ${type.blob} NOT NULL UNIQUE,
    state ${type.text} NOT NULL,
    person ${type.text} REFERENCES person (id),
    oauth_grant ${type.text} REFERENCES oauth_grant (id),
    asked_from ${type.text} NOT NULL,
    created_at_ms ${type.integer} NOT NULL,
    expires_at_ms ${type.integer} NOT NULL,
    polled_at_ms ${type.integer},
    interval_ms ${type.integer} NOT NULL
  )`,
  // Wrong user codes that a person entered, one after the other, and when the last of them.
  `CREATE TABLE oauth_wrong_entry (
    person ${type.text} PRIMARY KEY REFERENCES person (id),
    count ${type.integer} NOT NULL,
    last_at_ms ${type.integer} NOT NULL
  )`,
  // Append-only. organization is null for what concerns the installation or a person.
  `CREATE TABLE audit (
    id ${type.text} PRIMARY KEY,
    organization ${type.text} REFERENCES organization (id),
    at_ms ${type.integer} NOT NULL,
    action ${type.text} NOT NULL,
    actor ${type.text} NOT NULL,
    subject ${type.text},
    address ${type.text},
    details ${type.text} NOT NULL
  )`,
  `CREATE INDEX audit_organization ON audit (organization, id)`,
];
