/** Returns the origin if the text is one, with no path, query or user. */
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
