/** Markdown on one line without the marks of bold, code, links and headings; the rest stays. */
export function unmarked(markdown: string): string {
  return markdown
    .replace(/^#{1,6} +/gm, "")
    .replace(/\*\*(?=\S)([^*\n]*[^*\s])\*\*/g, "$1")
    .replace(/`([^`\n]+)`/g, "$1")
    .replace(/\[([^[\]\n]+)\]\([^()\s]*\)/g, "$1");
}
