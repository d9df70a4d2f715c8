import { isBelow, serviceUrl } from "../../base-path.ts";

/** Where a link may lead: to a page of ours, or by http to anywhere. */
export type Link = { kind: "own"; href: string } | { kind: "other"; href: string };

/** Undefined for what is no such address; then its words are only words. */
export function linkOf(url: string): Link | undefined {
  const { origin } = new URL(serviceUrl());
  const parsed = URL.parse(url, origin);
  if (parsed === null) return undefined;
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") return undefined;
  if (parsed.username !== "" || parsed.password !== "") return undefined;
  // An address without a host means one of ours.
  const isOwn = parsed.origin === origin && (!URL.canParse(url) || isBelow(parsed.pathname));
  if (isOwn) return { kind: "own", href: parsed.pathname + parsed.search + parsed.hash };
  return { kind: "other", href: parsed.href };
}
