import { type EndpointDefinition, endpoints } from "@lossless/protocol";
import { basePathOf } from "../ground/base-address.ts";

/**
 * The path of the base address below which clients find the service, "" where it has none. It is
 * taken off a request once, when that comes in (`withoutBase`), and put before an address once,
 * when that goes out to a browser (`belowBase`); in between addresses are those of the endpoints
 * table.
 */
export type BasePath = string;

/**
 * Returns the target as the endpoints table has it. A proxy may pass the base path on or have
 * removed it: no address of the table begins with it, so that the two can be told apart.
 */
export function withoutBase(base: BasePath, target: string): string {
  if (base === "") return target;
  // RFC 8414 3.1: the path of an issuer stands behind the well-known one.
  if (target === endpoints.oauthMetadata.path + base) return endpoints.oauthMetadata.path;
  if (!target.startsWith(base)) return target;
  const rest = target.slice(base.length);
  if (rest === "" || rest.startsWith("?")) return `/${rest}`;
  return rest.startsWith("/") ? rest : target;
}

/** Returns an address of the service as a browser has to request it; the host part is unchanged. */
export function belowBase(base: BasePath, address: string): string {
  return address.startsWith("/") ? base + address : address;
}

/**
 * First words of the service's own paths. MLflow's own pages begin with `ajax-api` where its
 * clients begin with `api`.
 */
const ownWords: ReadonlySet<string> = new Set([
  "ajax-api",
  ...Object.values<EndpointDefinition>(endpoints).map(({ path }) => firstWord(path)),
]);

/** Returns why the service cannot reply at these addresses; undefined: it can. */
export function basePathProblem({
  baseUrl,
  altBaseUrl,
}: {
  baseUrl: string | undefined;
  altBaseUrl: string | undefined;
}): string | undefined {
  const base = baseUrl === undefined ? "" : basePathOf(baseUrl);
  const word = firstWord(base);
  if (base !== "" && ownWords.has(word)) {
    return `--base-url has a path that begins with /${word}, like addresses of the service itself: choose another path.`;
  }
  const alternative = altBaseUrl === undefined ? "" : basePathOf(altBaseUrl);
  if (alternative === "" || alternative === base) return undefined;
  return "--alt-base-url must have the path of --base-url, or none: pages and links know one path.";
}

function firstWord(path: string): string {
  return path.split("/", 2)[1] ?? "";
}
