/** A text as content or attribute of HTML and XML. */
export function escaped(text: string): string {
  return text.replaceAll(
    /[&<>"']/g,
    (character) =>
      ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[character]!,
  );
}
