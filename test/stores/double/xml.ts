import { encode } from "./request-target.ts";
import { S3Error } from "./s3-error.ts";

export interface XmlElement {
  name: string;
  children: XmlElement[];
  text: string;
}

const maxDepth = 8;

/** It reads the small documents of S3 requests. Anything it does not understand is MalformedXML. */
export function readXml(source: string): XmlElement {
  const tokens = source.replace(/^\uFEFF?\s*<\?xml[^>]*\?>/, "").matchAll(/<[^>]*>|[^<]+|</g);
  const outside: XmlElement = { name: "", children: [], text: "" };
  const open = [outside];
  for (const [token] of tokens) {
    const current = open.at(-1) ?? outside;
    if (token.startsWith("</")) {
      if (open.length === 1 || token !== `</${current.name}>`) throw malformed();
      open.pop();
    } else if (token.startsWith("<")) {
      const [, name, closed] = /^<([A-Za-z]\w*)(?:\s[^<>]*?)?(\/?)>$/.exec(token) ?? [];
      if (name === undefined || open.length > maxDepth) throw malformed();
      const element = { name, children: [], text: "" };
      current.children.push(element);
      if (closed === "") open.push(element);
    } else {
      current.text += unescape(token);
    }
  }
  const [root, ...others] = outside.children;
  if (open.length !== 1 || root === undefined || others.length > 0 || outside.text.trim() !== "")
    throw malformed();
  return root;
}

function malformed(): S3Error {
  return new S3Error("MalformedXML");
}

export function childText(element: XmlElement, name: string): string | undefined {
  return element.children.find((child) => child.name === name)?.text;
}

const entities: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function unescape(text: string): string {
  return text.replaceAll(/&([^;\s]{0,10});?/g, (whole, name: string) => {
    const [, hexadecimal, decimal] = /^#(?:x([0-9a-fA-F]+)|(\d+))$/.exec(name) ?? [];
    const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    const value = entities[name] ?? (code <= 0x10ffff ? String.fromCodePoint(code) : undefined);
    if (value === undefined || !whole.endsWith(";")) throw malformed();
    return value;
  });
}

/** A value of an answer: text, or elements inside; an array repeats its element. */
export type XmlValue = string | number | boolean | XmlTree | XmlValue[];
export interface XmlTree {
  [name: string]: XmlValue | undefined;
}

const namespace = "http://s3.amazonaws.com/doc/2006-03-01/";

export function printXml(root: string, tree: XmlTree): string {
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
  // S3's errors, alone of its documents, stand in no namespace.
  const attribute = root === "Error" ? "" : ` xmlns="${namespace}"`;
  return `${declaration}<${root}${attribute}>${printTree(tree)}</${root}>`;
}

function printTree(tree: XmlTree): string {
  return Object.entries(tree)
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one) => [name, one]))
    .map(([name, value]) => (value === undefined ? "" : printElement(name as string, value)))
    .join("");
}

function printElement(name: string, value: XmlValue | string): string {
  const inside = typeof value === "object" ? printTree(value as XmlTree) : escape(String(value));
  return `<${name}>${inside}</${name}>`;
}

function escape(text: string): string {
  // A key may hold control characters; XML writes them as references too.
  return text.replaceAll(/[&<>"\p{Cc}]/gu, (character) => `&#${character.charCodeAt(0)};`);
}

/** Keys in listings: escaped when the client asked for `encoding-type=url`. */
export function listedName(key: string, encodingType: string | undefined): string {
  return encodingType === "url" ? encode(key).replaceAll("%2F", "/") : key;
}
