/**
 * Returns a header by which a browser saves under a name (RFC 6266). Characters not allowed in
 * headers are percent-encoded, and for old readers replaced.
 */
export function attachmentOf(name: string): string {
  if (/^[\w!#$&+.^`|~-]+$/.test(name)) return `attachment; filename=${name}`;
  const plain = name.replaceAll(/["*/:<>?\\|]|[^\x20-\x7e]/gu, "-");
  const quoted = `attachment; filename="${plain}"`;
  if (plain === name) return quoted;
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(/['()*]/g, (sign) => {
    return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return `${quoted}; filename*=UTF-8''${encoded}`;
}

/** Returns the last segment of a path, the name under which its file is saved. */
export function lastWord(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
