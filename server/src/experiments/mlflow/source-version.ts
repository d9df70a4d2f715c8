import { isObject } from "../logged/place.ts";
import type { NamedVersion } from "../lineage/subject.ts";
import { isPath, isVersion } from "../lineage/used-version.ts";

/** Members of a data set's source in which MLflow's clients say where it is. */
const members = ["uri", "url", "path"] as const;

/**
 * Returns the version of an artifact that the source of a data set names: `lossless:PATH@VERSION`,
 * or an address of its page, or one by which it is read, at one of our `hosts` or without a host.
 * `latest` and aliases name none.
 */
export function versionInSource(
  source: string,
  hosts: readonly string[],
): NamedVersion | undefined {
  if (!/lossless:|artifact/.test(source)) return undefined;
  for (const text of textsIn(source)) {
    const named = versionIn(text, hosts);
    if (named !== undefined) return named;
  }
  return undefined;
}

/** Returns the texts of a source that may say where it is. */
export function textsIn(source: string): string[] {
  let parsed: unknown = source;
  try {
    parsed = JSON.parse(source);
  } catch {
    // The text itself.
  }
  const texts = isObject(parsed) ? members.map((name) => parsed[name]) : [parsed];
  return texts.filter((text) => typeof text === "string");
}

function versionIn(text: string, hosts: readonly string[]): NamedVersion | undefined {
  if (text.startsWith("lossless:")) {
    const plain = text.slice("lossless:".length).replace(/^\/+/, "");
    const at = plain.lastIndexOf("@");
    return named(plain.slice(0, Math.max(at, 0)), plain.slice(at + 1));
  }
  const isRelative = /^\/(?!\/)/.test(text);
  const address = URL.parse(text, isRelative ? "http://own" : undefined);
  if (address === null || !/^https?:$/.test(address.protocol)) return undefined;
  const { host, pathname, searchParams } = address;
  if (!isRelative && !hosts.includes(host)) return undefined;
  const isPage = pathname.endsWith("/artifact");
  if (!isPage && !pathname.endsWith("/api/v1/versions/read")) return undefined;
  const artifact = searchParams.get(isPage ? "name" : "artifact");
  return named(artifact ?? "", searchParams.get("version") ?? "");
}

function named(artifact: string, version: string): NamedVersion | undefined {
  return isPath(artifact) && isVersion(version) ? { artifact, version } : undefined;
}
