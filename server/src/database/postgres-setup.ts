/** A reply of the server that may tell how it was set up. */
export interface ServerAnswer {
  code: string;
  message: string;
}

/** The oldest server that is tried. */
export const oldestVersion = 140_000;

export const owned =
  "The user of --database-url needs tables of its own: make it the owner of the database " +
  "(ALTER DATABASE … OWNER TO …), or GRANT USAGE, CREATE ON SCHEMA public TO it; tables made by another user " +
  "need a new owner (REASSIGN OWNED).";
export const noSchema =
  "The search_path of the user names no existing schema that it may use: CREATE SCHEMA …, " +
  "or ALTER ROLE … SET search_path = public.";
export const pooled =
  "Something between the service and the server uses another connection for each transaction: " +
  "a pooler in transaction or statement mode, such as PgBouncer. Set pool_mode = session, or connect without it.";
const noPassword =
  "PostgreSQL: the server asks for a password: give it with --database-password-file, or in --database-url.";

/** Advice on mistakes of the setup, by the SQLSTATE that shows them, at any statement. */
const mistakes: Record<string, (message: string) => string | undefined> = {
  // insufficient_privilege
  "42501": () => owned,
  // invalid_schema_name
  "3F000": () => noSchema,
  // duplicate and unknown prepared statements
  "42P05": () => pooled,
  "26000": () => pooled,
  // Poolers say this, in English, of much that passes, too.
  "08P01": (message) => (/transaction blocks not allowed/.test(message) ? pooled : undefined),
};

/** The same for a refused connection. */
const refusals: Record<string, (message: string) => string | undefined> = {
  // invalid_catalog_name
  "3D000": () =>
    "Is its name in --database-url right? CREATE DATABASE … OWNER … ENCODING UTF8 TEMPLATE template0 makes one.",
  // invalid_password
  "28P01": () =>
    "Check the password, in --database-url or in the file of --database-password-file; " +
    "ALTER ROLE … PASSWORD sets another one.",
  // invalid_authorization_specification
  "28000": () =>
    "The server refuses this user: CREATE ROLE … LOGIN creates one, and pg_hba.conf says which users may connect from where.",
  // insufficient_privilege
  "42501": () => "GRANT CONNECT ON DATABASE … TO the user of --database-url.",
  // object_not_in_prerequisite_state: ALLOW_CONNECTIONS is false
  "55000": () => "Is its name in --database-url right? ALTER DATABASE … ALLOW_CONNECTIONS true.",
  "08P01": (message) => {
    if (/unsupported startup parameter/.test(message))
      return "The pooler refuses this parameter: remove it from --database-url, or add it to the pooler's ignore_startup_parameters.";
    if (/no such (database|user)|auth/.test(message))
      return "The pooler does not know the database or user of --database-url: check [databases] and auth_file of PgBouncer.";
    return undefined;
  },
};

/** A sentence for who set the server up; undefined: the error is no such mistake. */
export function setupMistake({ code, message }: ServerAnswer): string | undefined {
  // How the name is quoted is the server's language.
  if (code === "42P01" && /\binstallation\b/.test(message)) {
    return (
      "This database has no installation of Lossless: is its name in --database-url right? " +
      "The first `lossless serve` makes one."
    );
  }
  return told(mistakes, { code, message });
}

/** The same of an answer to who connects, or begins to use a connection. */
export function refusal(answer: ServerAnswer): string | undefined {
  const known = told(refusals, answer) ?? setupMistake(answer);
  if (known !== undefined) return known;
  // A setting, function or form of SQL that is not there, or a value that it does not take.
  return /^(42|22|0A)/.test(answer.code)
    ? `PostgreSQL: ${answer.message}. Check the parameters of --database-url; the server has to be PostgreSQL ${oldestVersion / 10_000} or later.`
    : undefined;
}

/** Returns the advice on a failure that the `pg` client itself found. */
export function clientMistake({ message, code }: Error & { code?: unknown }): string | undefined {
  if (/^SASL: .*password must be/.test(message)) return noPassword;
  return code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID"
    ? `PostgreSQL: ${message}`
    : undefined;
}

function told(table: typeof mistakes, { code, message }: ServerAnswer): string | undefined {
  const sentence = Object.hasOwn(table, code) ? table[code](message) : undefined;
  return sentence === undefined ? undefined : `PostgreSQL: ${message}. ${sentence}`;
}
