/**
 * The address by which clients reach the service, without a slash at its end: an origin, or one
 * with a path that a proxy passes on to us. The path is letters, digits, . _ ~ -, since setup
 * scripts hold it between single quotes and cookies are named by it. Undefined: the text is none.
 */
export function baseAddress(text: string): string | undefined {
  const url = URL.parse(text);
  const isAddress =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === "" &&
    url.password === "" &&
    !/[?#\\]|%|\/\.{1,2}(?:\/|$)/.test(text) &&
    /^(?:\/[A-Za-z0-9._~-]+)*\/?$/.test(url.pathname);
  return isAddress ? url.origin + url.pathname.replace(/\/$/, "") : undefined;
}

/** The path below which the service answers; "" without one. */
export function basePathOf(baseUrl: string): string {
  const { pathname } = new URL(baseUrl);
  return pathname === "/" ? "" : pathname;
}
