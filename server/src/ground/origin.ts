/** The origin that the text is, and nothing behind it: no path, no query, no user. */
export function originOf(text: string): string | undefined {
  const url = URL.parse(text);
  const isOrigin =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === "" &&
    url.password === "" &&
    url.pathname === "/" &&
    !/[?#]/.test(text);
  return isOrigin ? url.origin : undefined;
}
