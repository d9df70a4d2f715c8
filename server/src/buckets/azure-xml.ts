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
  const token =
    /<\?xml[^<>]*\?>|<(\/?)([A-Za-z_][\w.:-]*)((?:\s+[\w.:-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  while (at < text.length) {
    token.lastIndex = at;
    const found = token.exec(text);
    if (found === null) throw new BadXml(`No XML at character ${at}.`);
    at = token.lastIndex;
    const [, slash, name, , isEmpty, characters] = found;
    const current = open.at(-1)!;
    if (characters !== undefined) current.text += decoded(characters);
    if (name === undefined) continue;
    if (slash === "/") {
      if (open.length < 2 || current.name !== name) throw new BadXml(`Closes ${name} wrongly.`);
      open.pop();
      continue;
    }
    const element: XmlElement = { name, children: [], text: "" };
    current.children.push(element);
    if (isEmpty !== "/") open.push(element);
    if (open.length > depthMax) throw new BadXml("Nested too deeply.");
  }
  const [root] = document.children;
  if (open.length > 1 || root === undefined || document.children.length > 1)
    throw new BadXml("Not one whole element.");
  return root;
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
