/**
 * The small XML documents of AWS's query interfaces: elements and texts, nothing else. Gives the text of every
 * element that holds no other, by its path (`ErrorResponse/Error/Code`); undefined for what is no such document,
 * and for one that says a thing twice. No entity but XML's own five is known, and no document type.
 */
export function readQueryReply(source: string): ReadonlyMap<string, string> | undefined {
  const body = source.replace(/^\uFEFF?(<\?xml[^<>]*\?>)?/, "");
  const texts = new Map<string, string>();
  const open: string[] = [];
  let text = "";
  let isLeaf = false;
  let roots = 0;
  for (const [token] of body.matchAll(/<[^<>]*>|[^<]+|</g)) {
    if (token.startsWith("</")) {
      const path = open.join("/");
      if (token.slice(2, -1).trimEnd() !== open.pop()) return undefined;
      if (isLeaf && texts.has(path)) return undefined;
      if (isLeaf) texts.set(path, text);
      isLeaf = false;
    } else if (token.startsWith("<")) {
      const [, name, isEmpty] = element.exec(token) ?? [];
      if (name === undefined || open.length === depthMax) return undefined;
      if (open.length === 0 && ++roots > 1) return undefined;
      if (isEmpty === "") open.push(name);
      isLeaf = isEmpty === "";
    } else {
      const plain = unescape(token);
      if (plain === undefined || (open.length === 0 && plain.trim() !== "")) return undefined;
      if (isLeaf) text = plain;
      continue;
    }
    text = "";
  }
  return open.length === 0 && roots === 1 ? texts : undefined;
}

const depthMax = 8;
const element = /^<([A-Za-z]\w{0,63})(?:\s+[A-Za-z][\w:]{0,31}="[^"<>]{0,255}")*\s*(\/?)>$/;
const entities: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
  "&quot;": '"',
  "&apos;": "'",
};

function unescape(text: string): string | undefined {
  let isSound = true;
  const plain = text.replaceAll(/&[^&;]{0,8};?/g, (entity) => {
    const [, hexadecimal, decimal] = /^&#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}));$/.exec(entity) ?? [];
    const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    const character = entities[entity] ?? (code <= 0x10ffff ? String.fromCodePoint(code) : "");
    isSound &&= character !== "";
    return character;
  });
  return isSound ? plain : undefined;
}
