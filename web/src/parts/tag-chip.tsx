import type { ComponentChildren } from "preact";
import { kindsOf } from "../chart/lines/colours.ts";

interface Props {
  tag: string;
  /** Finds experiments with it; without either, the chip is a text. */
  href?: string;
  onFind?: () => void;
  title?: string;
  children?: ComponentChildren;
}

/** A tag in the colour of its name, which is the same on all pages. */
export function TagChip({ tag, href, onFind, title, children }: Props) {
  const { colour } = kindsOf([tag]).get(tag)!;
  const look = { class: "tag", style: { "--tag": `var(--line-${colour})` }, title };
  const content = (
    <>
      <bdi>{tag}</bdi>
      {children}
    </>
  );
  if (href !== undefined)
    return (
      <a {...look} href={href}>
        {content}
      </a>
    );
  if (onFind === undefined) return <span {...look}>{content}</span>;
  return (
    <button {...look} type="button" tabIndex={-1} onClick={onFind}>
      {content}
    </button>
  );
}
