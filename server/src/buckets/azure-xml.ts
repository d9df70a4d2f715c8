/** An element of a reply: its children, and the text between them. */
export interface XmlElement {
  name: string;
  children: XmlElement[];
  text: string;
}

/** Not the XML that Azure's storage answers with. */
export class BadXml extends Error {
  override name = "BadXml";
}

/**
 * Reads the subset of XML that Azure's storage writes: elements, attributes (which are skipped), text, the five
 * named entities and numeric ones. Everything else (document types, CDATA, comments, entities of one's own) is
 * refused: nothing of a reply is ever expanded or fetched.
 */
export function parseXml(text: string): XmlElement {
  const document: XmlElement = { name: "", children: [], text: "" };
  const open = [document];
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  while (at < text.length) {
    const start = text.indexOf("<", at);
    const characters = text.slice(at, start === -1 ? text.length : start);
    if (characters !== "") open.at(-1)!.text += decoded(characters);
    if (start === -1) break;
    const end = text.indexOf(">", start);
    if (end === -1) throw new BadXml(`No XML at character ${start}.`);
    at = end + 1;
    const tag = text.slice(start + 1, end);
    if (tag.startsWith("/")) close(open, tag.slice(1).trimEnd());
    else if (!declaration.test(tag)) begin(open, tag);
  }
  const [root] = document.children;
  const isOne = document.children.length === 1 && document.text.trim() === "";
  if (open.length > 1 || root === undefined || !isOne) throw new BadXml("Not one whole element.");
  return root;
}

const declaration = /^\?xml [^<]*\?$/;
const plainTag = /^[A-Za-z_][\w.:-]*$/;
const fullTag = /^([A-Za-z_][\w.:-]*)(?:\s+[\w.:-]+="[^"<]*")*\s*(\/?)$/;

function begin(open: XmlElement[], tag: string): void {
  const [, name, slash] = plainTag.test(tag) ? [tag, tag, ""] : (fullTag.exec(tag) ?? []);
  if (name === undefined) throw new BadXml("Not a tag of an element.");
  const element: XmlElement = { name, children: [], text: "" };
  open.at(-1)!.children.push(element);
  if (slash !== "/") open.push(element);
  if (open.length > depthMax) throw new BadXml("Nested too deeply.");
}

function close(open: XmlElement[], name: string): void {
  if (open.length < 2 || open.at(-1)!.name !== name) throw new BadXml("Closes another element.");
  open.pop();
}

/** The first child along the path; undefined when there is none. */
export function childAt(element: XmlElement, ...path: string[]): XmlElement | undefined {
  return path.reduce<XmlElement | undefined>(
    (parent, name) => parent?.children.find((child) => child.name === name),
    element,
  );
}

export function textAt(element: XmlElement, ...path: string[]): string | undefined {
  return childAt(element, ...path)?.text;
}

const depthMax = 16;
const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

function decoded(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w*));?/g, (whole, ...groups) => {
    const [decimal, hexadecimal, name] = groups as (string | undefined)[];
    const code = decimal === undefined ? parseInt(hexadecimal ?? "", 16) : Number(decimal);
    const character = Number.isNaN(code) ? entities[name ?? ""] : characterOf(code);
    if (character === undefined || !whole.endsWith(";")) throw new BadXml("An unknown entity.");
    return character;
  });
}

function characterOf(code: number): string | undefined {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
