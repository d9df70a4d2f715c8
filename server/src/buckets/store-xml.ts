import { setImmediate } from "node:timers/promises";

/** An element of a reply: its children, and the text between them. */
export interface XmlElement {
  name: string;
  children: XmlElement[];
  text: string;
}

/** Thrown for text that is not the XML of a store. */
export class BadXml extends Error {
  override name = "BadXml";
}

/** Thrown for XML larger than any reply has to be. */
export class TooMuchXml extends BadXml {
  override name = "TooMuchXml";
}

/**
 * Reads the subset of XML that stores write: elements, attributes (which are skipped), text, the
 * five named entities and numeric ones. Everything else (document types, CDATA, comments, custom
 * entities) is refused: no part of a reply is ever expanded or fetched. For small replies: it has
 * few elements, and is read in one go.
 */
export function parseXml(text: string): XmlElement {
  const reading = readXml(text, smallBounds);
  for (;;) {
    const { done, value } = reading.next();
    if (done === true) return value;
  }
}

/** The same for a list of megabytes, in turns of the event loop, so requests run in between. */
export async function parseXmlList(text: string): Promise<XmlElement> {
  const reading = readXml(text, listBounds);
  for (;;) {
    const { done, value } = reading.next();
    if (done === true) return value;
    await setImmediate();
  }
}

interface Bounds {
  elementsMax: number;
  entitiesMax: number;
}

const smallBounds: Bounds = { elementsMax: 1_000, entitiesMax: 1_000 };
/**
 * Bounds of a list. A page has 1,000 entries of up to some 20 elements, or 10,000 blocks of three.
 * Names may consist of characters written as entities: 60 in each of 1,000.
 */
const listBounds: Bounds = { elementsMax: 65_536, entitiesMax: 65_536 };
const depthMax = 16;
/** A refusal may quote the whole request as hexadecimal bytes. */
const textCharactersMax = 32_768;
const tagCharactersMax = 1_024;
/** Tags parsed in one turn, about two milliseconds. */
const tagsPerTurn = 4_000;

/** Pauses where a turn may end. */
function* readXml(text: string, { elementsMax, entitiesMax }: Bounds): Generator<void, XmlElement> {
  const document: XmlElement = { name: "", children: [], text: "" };
  const open = [document];
  let [tags, elements, entities] = [0, 0, 0];
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  while (at < text.length) {
    const start = text.indexOf("<", at);
    const characters = text.slice(at, start === -1 ? text.length : start);
    if (characters !== "") entities += append(open.at(-1)!, characters, entitiesMax - entities);
    if (start === -1) break;
    const end = text.indexOf(">", start);
    if (end === -1) throw new BadXml(`No XML at character ${start}.`);
    if (end - start > tagCharactersMax) throw new TooMuchXml("A tag that is too long.");
    at = end + 1;
    const tag = text.slice(start + 1, end);
    if (tag.startsWith("/")) close(open, tag.slice(1).trimEnd());
    else if (start > declarationAtMost || !declaration.test(tag)) {
      if (++elements > elementsMax) throw new TooMuchXml("Too many elements.");
      begin(open, tag);
    }
    if (++tags % tagsPerTurn === 0) yield;
  }
  const [root] = document.children;
  const isOne = document.children.length === 1 && document.text.trim() === "";
  if (open.length > 1 || root === undefined || !isOne) throw new BadXml("Not one whole element.");
  return root;
}

const declaration = /^\?xml [^<]*\?$/;
/** Maximal offset of the declaration, after a byte order mark and some line breaks. */
const declarationAtMost = 16;
const plainTag = /^[A-Za-z_][\w.:-]*$/;
const fullTag = /^([A-Za-z_][\w.:-]*)(?:\s+[\w.:-]+=(?:"[^"<]*"|'[^'<]*'))*\s*(\/?)$/;

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

/**
 * Appends text. White space is not counted: a store that completes an upload sends some until it is
 * done.
 */
function append(element: XmlElement, characters: string, entitiesMax: number): number {
  if (characters.length > textCharactersMax && characters.trim().length > textCharactersMax)
    throw new TooMuchXml("A text that is too long.");
  const { text, entities } = decoded(characters, entitiesMax);
  element.text += text;
  return entities;
}

/** Returns the first child along the path; undefined when there is none. */
export function childAt(element: XmlElement, ...path: string[]): XmlElement | undefined {
  return path.reduce<XmlElement | undefined>(
    (parent, name) => parent?.children.find((child) => child.name === name),
    element,
  );
}

export function textAt(element: XmlElement, ...path: string[]): string | undefined {
  return childAt(element, ...path)?.text;
}

const namedEntities: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

function decoded(text: string, entitiesMax: number): { text: string; entities: number } {
  if (!text.includes("&")) return { text, entities: 0 };
  let entities = 0;
  const plain = text.replaceAll(entity, (whole, ...groups) => {
    if (++entities > entitiesMax) throw new TooMuchXml("Too many entities.");
    const [decimal, hexadecimal, name] = groups as (string | undefined)[];
    const code = decimal === undefined ? parseInt(hexadecimal ?? "", 16) : Number(decimal);
    const character = Number.isNaN(code) ? namedEntities.get(name ?? "") : characterOf(code);
    if (character === undefined || !whole.endsWith(";")) throw new BadXml("An unknown entity.");
    return character;
  });
  return { text: plain, entities };
}

const entity = /&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w*));?/g;

function characterOf(code: number): string | undefined {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
