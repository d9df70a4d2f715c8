import { gfm } from "micromark-extension-gfm";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import type { Definition, Nodes, Root } from "mdast";
import { withMarkedFormulas } from "./formulas/marked-formulas.ts";

/** Quotations and lists nested on one line: parsing more takes seconds, and no text needs them. */
const nestedLine = /^[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*){100}/m;

/** Parses GitHub's Markdown, with formulas as code; undefined for text that was not written to be read. */
export function parseMarkdown(text: string): Root | undefined {
  if (nestedLine.test(text)) return undefined;
  try {
    return fromMarkdown(withMarkedFormulas(text), {
      extensions: [gfm()],
      mdastExtensions: [gfmFromMarkdown()],
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Targets of `[name][1]`: the first definition of each name. */
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

/** Depth of the tree that is drawn; deeper nodes are left out. */
export const depthMax = 60;
