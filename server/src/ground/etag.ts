/** The word in an ETag. A proxy in between may have made it a weak one. */
export function unquotedEtag(etag: string): string {
  return etag.replace(/^(?:W\/)?"(.*)"$/, "$1");
}
