import { gfm } from "micromark-extension-gfm";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import type { Definition, Nodes, Root } from "mdast";

/** Quotations and lists within each other, on one line: more takes seconds and means nothing. */
const nestedLine = /^[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*){100}/m;

/** Markdown as GitHub has it, as a tree; undefined for what nobody has written to be read. */
export function parseMarkdown(text: string): Root | undefined {
  if (nestedLine.test(text)) return undefined;
  try {
    return fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Where `[name][1]` leads: the definition of that name, of several the first. */
export function definitionsOf(root: Root): ReadonlyMap<string, Definition> {
  const found = new Map<string, Definition>();
  const visit = (node: Nodes, depth: number) => {
    if (node.type === "definition" && !found.has(node.identifier)) found.set(node.identifier, node);
    if ("children" in node && depth < depthMax)
      for (const child of node.children) visit(child, depth + 1);
  };
  visit(root, 0);
  return found;
}

/** What stands deeper is left out. */
export const depthMax = 60;
