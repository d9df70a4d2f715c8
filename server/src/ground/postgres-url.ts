import { type PostgresTls, PostgresUrlError, postgresTls } from "./postgres-tls.ts";

export { PostgresUrlError };

/**
 * Required state of the server. `read-write`: no standby, and its sessions may write. `primary`: no
 * standby. `any`: any server that answers, to read from a standby.
 */
export type SessionAttribute = "read-write" | "primary" | "any";

export interface PostgresTarget {
  /** Each server's URL, in the order given, with one address and in the form of the `pg` client. */
  servers: readonly { url: string; address: string; tls: PostgresTls }[];
  attribute: SessionAttribute;
  hasPassword: boolean;
}

const attributes: readonly SessionAttribute[] = ["read-write", "primary", "any"];
const defaultPort = 5432;
const form =
  "must be like postgres://user:password@host/name, with / ? # and @ in the password as %2F %3F %23 and %40";

/**
 * Reads `postgres://user:password@host:port,host:port/database?target_session_attrs=read-write`.
 * The `pg` client supports one address only, no `target_session_attrs`, and has its own form of TLS
 * (postgres-tls.ts); all other parameters are passed on. Without the parameter one of several
 * servers must take writes, and a single one must be no standby: that would lack acknowledged
 * writes. Throws PostgresUrlError.
 */
export function parsePostgresUrl(text: string): PostgresTarget {
  const [, scheme, authority = "", path = "", search = ""] =
    /^(postgres(?:ql)?:\/\/)([^/?#]*)([^?#]*)(?:\?([^#]*))?$/i.exec(text) ?? [];
  if (!/^postgres(ql)?:\/\//i.test(text)) {
    throw new PostgresUrlError("must start with postgres://");
  }
  if (scheme === undefined) throw new PostgresUrlError(form);
  const at = authority.lastIndexOf("@") + 1;
  const [credentials, hosts] = [authority.slice(0, at), authority.slice(at).split(",")];
  const { rest, attribute, tls } = parametersOf(search);
  const servers = hosts.map((host) => ({
    url: `${scheme}${credentials}${host}${path}${rest}`,
    address: addressOf(`${scheme}${host}`, hosts.length > 1),
    // A socket of this machine has no TLS, whatever the mode, for PostgreSQL's own clients too.
    tls: isSocket(host, rest) ? { ssl: false as const } : tls,
  }));
  if (new Set(servers.map(({ address }) => address)).size < servers.length) {
    throw new PostgresUrlError("must name each address once");
  }
  for (const { url } of servers) {
    if (!URL.canParse(url)) throw new PostgresUrlError(form);
  }
  const { password, searchParams } = new URL(servers[0].url);
  return {
    servers,
    attribute: attribute ?? (servers.length > 1 ? "read-write" : "primary"),
    hasPassword: password !== "" || searchParams.has("password"),
  };
}

/** Returns addresses and name of the database, without secrets. */
export function describePostgresUrl(text: string): string {
  const { servers } = parsePostgresUrl(text);
  const { pathname } = URL.parse(servers[0].url)!;
  return `${servers.map(({ address }) => address).join(",")}${pathname}`;
}

/**
 * Returns host and port, for people. Of a single server either may be missing: the client has
 * defaults.
 */
function addressOf(url: string, isRequired: boolean): string {
  const { host, hostname, port } = URL.parse(url) ?? { host: "", hostname: "", port: "" };
  if (hostname === "" && (isRequired || url.includes(":", "postgres://".length))) {
    throw new PostgresUrlError(
      "must have addresses like host, host:5432 or [::1]:5432, separated by commas",
    );
  }
  return port === "" ? `${host || "localhost"}:${defaultPort}` : host;
}

/** Returns a warning about a database whose certificate is not verified. */
export function unverifiedWarning(text: string): string | undefined {
  const isUnverified = parsePostgresUrl(text).servers.some(
    ({ tls: { ssl } }) => ssl !== false && ssl.rejectUnauthorized === false,
  );
  return isUnverified
    ? "The connection to PostgreSQL is encrypted, but the server's identity is not verified: use sslmode=verify-full."
    : undefined;
}

function isSocket(host: string, rest: string): boolean {
  return /^%2f/i.test(host) || new URLSearchParams(rest).get("host")?.startsWith("/") === true;
}

/** The parameters for the client, to the letter, without ours. */
function parametersOf(search: string): {
  rest: string;
  attribute: SessionAttribute | undefined;
  tls: PostgresTls;
} {
  let attribute: SessionAttribute | undefined;
  const tls = new Map<string, string>();
  const others = search.split("&").filter((parameter) => {
    const [[name, value] = ["", ""]] = new URLSearchParams(parameter);
    if ((name === "host" || name === "port") && value.includes(",")) {
      throw new PostgresUrlError(
        "must have several addresses before the name: postgres://a,b/name",
      );
    }
    if (name.startsWith("ssl") || name === "uselibpqcompat") tls.set(name, value);
    else if (name === "target_session_attrs") attribute = attributeOf(value);
    else return parameter !== "";
    return false;
  });
  return {
    rest: others.length === 0 ? "" : `?${others.join("&")}`,
    attribute,
    tls: postgresTls(tls, process.env),
  };
}

function attributeOf(value: string): SessionAttribute {
  const attribute = attributes.find((one) => one === value);
  if (attribute !== undefined) return attribute;
  throw new PostgresUrlError(
    `knows target_session_attrs ${attributes.join(", ")} only: others could reach a standby, which lacks points`,
  );
}
