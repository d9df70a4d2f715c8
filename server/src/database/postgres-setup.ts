/** What somebody has to set up otherwise, by the SQLSTATE that shows it. */
const mistakes: Record<string, (message: string) => string> = {
  // insufficient_privilege
  "42501": (message) =>
    `PostgreSQL: ${message}. The user of --database-url needs tables of its own: make it the owner of the database ` +
    "(ALTER DATABASE … OWNER TO …), or GRANT USAGE, CREATE ON SCHEMA public TO it; tables that another user has made " +
    "have to become its own (REASSIGN OWNED).",
  // invalid_schema_name: search_path names no schema that is there
  "3F000": (message) =>
    `PostgreSQL: ${message}. The search_path of the user names no schema that is there and open to it: CREATE SCHEMA …, ` +
    "or ALTER ROLE … SET search_path = public.",
  // duplicate and unknown prepared statements
  "42P05": throughPooler,
  "26000": throughPooler,
};

function throughPooler(message: string): string {
  return (
    `PostgreSQL: ${message}. Something between the service and the server gives each transaction another connection: ` +
    "a pooler in transaction mode, such as PgBouncer. Set pool_mode = session, or connect without it."
  );
}

/** A sentence for who set the server up; undefined: the error is no such mistake. */
export function setupMistake({
  code,
  message,
}: {
  code: string;
  message: string;
}): string | undefined {
  // How the name is quoted is the server's language.
  if (code === "42P01" && /\binstallation\b/.test(message)) {
    return (
      "This database holds no installation of Lossless: is its name in --database-url right? " +
      "The first `lossless serve` makes one."
    );
  }
  return Object.hasOwn(mistakes, code) ? mistakes[code](message) : undefined;
}
