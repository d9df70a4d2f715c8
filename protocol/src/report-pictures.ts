/** How texts of a report name its pictures: `![words](picture:0a1b…)`. */

/**
 * The pictures that are named in Markdown, or in the JSON of blocks with Markdown, each once. In
 * JSON the letter of an escaped line feed may stand directly before a name.
 */
export function picturesNamedIn(text: string): string[] {
  const names = text.matchAll(/picture:([0-9a-f]{32})(?![0-9a-f])/g);
  return [...new Set(Array.from(names, ([, picture]) => picture))];
}

/** The picture that an address of a picture in Markdown means; undefined: it is another address. */
export function pictureOfAddress(address: string): string | undefined {
  return /^picture:([0-9a-f]{32})$/.exec(address)?.[1];
}
