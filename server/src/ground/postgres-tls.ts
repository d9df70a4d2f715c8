import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { type ConnectionOptions, createSecureContext } from "node:tls";

/** Encryption of connections, in the form of the `pg` client. */
export interface PostgresTls {
  ssl: false | ConnectionOptions;
  sslnegotiation?: "direct";
}

/** The URL is not PostgreSQL's. The message is the rule, never the text, which holds a password. */
export class PostgresUrlError extends Error {
  override name = "PostgresUrlError";
}

const known = new Set([
  "ssl",
  "sslcert",
  "sslkey",
  "sslmode",
  "sslnegotiation",
  "sslrootcert",
  // The modes mean what they mean here, it says to `pg`.
  "uselibpqcompat",
]);

type Parameters = ReadonlyMap<string, string>;
type Environment = Readonly<Record<string, string | undefined>>;

const modes = ["disable", "require", "no-verify", "verify-ca", "verify-full"];

/**
 * Reads `sslmode` as PostgreSQL's own clients do: `require` encrypts, and verifies the certificate
 * when its authority is given; `verify-ca` and `verify-full` always verify. `pg` would verify for
 * `require` too, and print a warning. Without a mode nothing is encrypted, unless a certificate is
 * given: then it is verified. Files are read once, here.
 */
export function postgresTls(parameters: Parameters, environment: Environment): PostgresTls {
  const unknown = [...parameters.keys()].find((name) => !known.has(name));
  if (unknown !== undefined) throw new PostgresUrlError(`does not know the parameter ${unknown}`);
  const mode = modeOf(parameters, environment);
  const isDirect = directNegotiation(parameters.get("sslnegotiation"), mode);
  if (mode === "disable") return { ssl: false };
  const file = (name: string) => parameters.get(name) || environment[`PG${name.toUpperCase()}`];
  const authority = file("sslrootcert");
  if (mode === "verify-ca" && authority === undefined) {
    throw new PostgresUrlError("needs sslrootcert=FILE, the authority, for sslmode=verify-ca");
  }
  if (authority === "system" && mode !== "verify-full") {
    throw new PostgresUrlError("needs sslmode=verify-full for sslrootcert=system");
  }
  const isVerified = mode.startsWith("verify-") || (mode === "require" && authority !== undefined);
  const ssl: ConnectionOptions = {
    rejectUnauthorized: isVerified,
    ...(isVerified && mode !== "verify-full" && { checkServerIdentity: () => undefined }),
    ...(authority !== undefined &&
      authority !== "system" && { ca: read("sslrootcert", authority) }),
    ...certificateOf(file("sslcert"), file("sslkey")),
  };
  checkFiles(ssl);
  return { ssl, ...(isDirect && { sslnegotiation: "direct" as const }) };
}

function modeOf(parameters: Parameters, environment: Environment): string {
  const mode = parameters.get("sslmode") ?? oldMode(parameters.get("ssl"));
  const isNamed = ["sslrootcert", "sslcert", "sslkey"].some((name) => parameters.has(name));
  const found = mode ?? (isNamed ? "verify-full" : environment.PGSSLMODE || "disable");
  if (modes.includes(found)) return found;
  const said = mode === undefined && !isNamed ? "PGSSLMODE" : "sslmode";
  throw new PostgresUrlError(
    found === "prefer" || found === "allow"
      ? `does not know ${said}=${found}, which continues without encryption if the server has none: use require, verify-full or disable`
      : `knows ${said} ${modes.join(", ")} only`,
  );
}

/** PostgreSQL's clients take `ssl=true` for the sake of JDBC's URLs. */
function oldMode(ssl: string | undefined): string | undefined {
  if (ssl === undefined || ssl === "true") return ssl && "require";
  throw new PostgresUrlError("accepts only ssl=true: use sslmode");
}

function directNegotiation(negotiation: string | undefined, mode: string): boolean {
  if (negotiation === undefined || negotiation === "postgres") return false;
  if (negotiation !== "direct")
    throw new PostgresUrlError("knows sslnegotiation postgres, direct only");
  if (mode === "disable")
    throw new PostgresUrlError("needs sslmode=require or stronger for sslnegotiation=direct");
  return true;
}

function certificateOf(certificate?: string, key?: string): ConnectionOptions {
  if (certificate === undefined && key === undefined) return {};
  if (certificate === undefined || key === undefined) {
    throw new PostgresUrlError("needs both sslcert and sslkey, or neither");
  }
  return { cert: read("sslcert", certificate), key: read("sslkey", key) };
}

function read(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new PostgresUrlError(`names a ${name} that cannot be read: ${(error as Error).message}`);
  }
}

function checkFiles(ssl: ConnectionOptions): void {
  try {
    createSecureContext(ssl);
    // An authority that is no certificate is passed over in silence.
    if (ssl.ca !== undefined) new X509Certificate(ssl.ca as string);
  } catch (error) {
    const reason = (error as Error).message;
    throw new PostgresUrlError(`names certificates or a key that cannot be used: ${reason}`);
  }
}
