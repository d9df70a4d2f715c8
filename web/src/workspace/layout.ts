import type { Layout } from "@lossless/client";

/** The layout without empty parts, in one order, so that equal layouts have equal texts. */
export function tidied(layout: Layout): Layout {
  const { pinned, hidden, order, sections, charts, columns, height } = layout;
  const lists = Object.entries({ pinned, hidden, order, sections, charts });
  return {
    ...Object.fromEntries(lists.filter(([, list]) => (list?.length ?? 0) > 0)),
    ...(columns !== undefined && { columns }),
    ...(height !== undefined && { height }),
  };
}

export function layoutText(layout: Layout): string {
  return JSON.stringify(tidied(layout));
}

/** Reads the layout of an address; undefined for a text that is none. */
export function layoutOf(text: string): Layout | undefined {
  try {
    const found = JSON.parse(text) as Layout;
    return isLayout(found) ? tidied(found) : undefined;
  } catch {
    return undefined;
  }
}

function isLayout(found: Layout): boolean {
  const { pinned = [], hidden = [], order = [], sections = [], charts = [] } = found;
  return (
    [pinned, hidden, order].every(areTexts) &&
    sections.every(({ name, patterns = [] }) => areTexts([name, ...patterns])) &&
    charts.every(({ key, lines = [], title = "", view = "", section = "" }) =>
      areTexts([key, ...lines, title, view, section]),
    )
  );
}

function areTexts(list: readonly unknown[]): boolean {
  return list.every((each) => typeof each === "string");
}
