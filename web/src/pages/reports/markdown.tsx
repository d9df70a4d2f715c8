import { pictureOfAddress } from "@lossless/protocol/report-pictures";
import type { Definition, Nodes, Parents, Table } from "mdast";
import { h, type ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { Formula } from "./formulas/formula.tsx";
import { formulaSign } from "./formulas/marked-formulas.ts";
import { linkOf } from "./link.ts";
import { definitionsOf, depthMax, parseMarkdown } from "./markdown.ts";
import { ReportPicture } from "./pictures/report-picture.tsx";

/**
 * A text of a report. Each kind of node becomes an element of ours or stays text: nothing people
 * wrote becomes an element, an attribute or an address by itself. Pictures elsewhere are links, since
 * no page loads anything from other hosts.
 */
export function Markdown({ text }: { text: string }) {
  return useMemo(() => {
    const root = parseMarkdown(text);
    if (root === undefined) return <pre class="unread">{text}</pre>;
    return <div class="prose">{inside(root, { definitions: definitionsOf(root), depth: 0 })}</div>;
  }, [text]);
}

interface Around {
  definitions: ReadonlyMap<string, Definition>;
  depth: number;
}

function inside(node: Parents, around: Around): ComponentChildren {
  if (around.depth >= depthMax) return "…";
  const next = { ...around, depth: around.depth + 1 };
  return node.children.map((child, at) => <MarkdownNode key={at} node={child} around={next} />);
}

type Draw = {
  [Type in Nodes["type"]]?: (
    node: Extract<Nodes, { type: Type }>,
    around: Around,
  ) => ComponentChildren;
};

/** Kinds that are missing here are not drawn: definitions, for instance. */
const draw: Draw = {
  text: ({ value }) => value,
  html: ({ value }) => <code>{value}</code>,
  paragraph: (node, around) => <p>{inside(node, around)}</p>,
  // The first level of headings is the report's name.
  heading: (node, around) => h(`h${Math.min(6, node.depth + 1)}`, null, inside(node, around)),
  emphasis: (node, around) => <em>{inside(node, around)}</em>,
  strong: (node, around) => <strong>{inside(node, around)}</strong>,
  delete: (node, around) => <del>{inside(node, around)}</del>,
  inlineCode: ({ value }) =>
    value.startsWith(formulaSign) ? (
      <Formula source={value.slice(1)} isBlock={false} />
    ) : (
      <code>{value}</code>
    ),
  code: ({ value, lang }) =>
    lang === "math" ? (
      <Formula source={value} isBlock />
    ) : (
      <pre tabIndex={0}>
        <code>{value}</code>
      </pre>
    ),
  blockquote: (node, around) => <blockquote>{inside(node, around)}</blockquote>,
  thematicBreak: () => <hr />,
  break: () => <br />,
  table: (node, around) => <TableOf node={node} around={around} />,
  list: (node, around) =>
    node.ordered === true ? (
      <ol start={node.start ?? 1}>{inside(node, around)}</ol>
    ) : (
      <ul>{inside(node, around)}</ul>
    ),
  listItem: (node, around) => <Item checked={node.checked}>{inside(node, around)}</Item>,
  footnoteReference: ({ label, identifier }) => <sup>[{label ?? identifier}]</sup>,
  footnoteDefinition: (node, around) => (
    <div class="footnote">
      <span>[{node.label ?? node.identifier}]</span>
      <div>{inside(node, around)}</div>
    </div>
  ),
  link: (node, around) => <LinkTo url={node.url}>{inside(node, around)}</LinkTo>,
  linkReference: (node, around) => (
    <LinkTo url={around.definitions.get(node.identifier)?.url}>{inside(node, around)}</LinkTo>
  ),
  image: ({ url, alt, title }) => <PictureAt {...{ url, title }} words={alt || url} />,
  imageReference: ({ identifier, alt }, { definitions }) => {
    const { url, title } = definitions.get(identifier) ?? {};
    return <PictureAt {...{ url, title }} words={alt || identifier} />;
  },
};

function MarkdownNode({ node, around }: { node: Nodes; around: Around }): ComponentChildren {
  const known = draw[node.type] as ((node: Nodes, around: Around) => ComponentChildren) | undefined;
  return known?.(node, around) ?? null;
}

function Item({
  checked,
  children,
}: {
  checked: boolean | null | undefined;
  children: ComponentChildren;
}) {
  if (checked == null) return <li>{children}</li>;
  return (
    <li class="task">
      <span role="img" aria-label={checked ? "done" : "to do"}>
        {checked ? "☑" : "☐"}
      </span>
      <div>{children}</div>
    </li>
  );
}

function LinkTo({ url, children }: { url: string | undefined; children: ComponentChildren }) {
  const link = url === undefined ? undefined : linkOf(url);
  if (link === undefined) return <>{children}</>;
  if (link.kind === "own") return <a href={link.href}>{children}</a>;
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

interface PictureAtProps {
  url: string | undefined;
  words: string;
  title: string | null | undefined;
}

/** A picture of the report, or a link to one elsewhere. */
function PictureAt({ url, words, title }: PictureAtProps) {
  const picture = url === undefined ? undefined : pictureOfAddress(url);
  if (picture !== undefined)
    return <ReportPicture {...{ picture, words }} title={title ?? undefined} />;
  return <LinkTo url={url}>picture: {words}</LinkTo>;
}

function TableOf({ node, around }: { node: Table; around: Around }) {
  const [head, ...rows] = node.children;
  const cells = (row: Table["children"][number], Cell: "th" | "td") => (
    <tr>
      {row.children.map((cell, at) => (
        <Cell key={at} class={node.align?.[at] ?? undefined}>
          {inside(cell, around)}
        </Cell>
      ))}
    </tr>
  );
  return (
    <div class="wide" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>{head !== undefined && cells(head, "th")}</thead>
        <tbody>{rows.map((row) => cells(row, "td"))}</tbody>
      </table>
    </div>
  );
}
