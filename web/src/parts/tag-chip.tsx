import type { ComponentChildren } from "preact";
import { tagColour } from "../tags/tag-colours.ts";

interface Props {
  tag: string;
  /** Finds experiments with it; without either, the chip is a text. */
  href?: string;
  onFind?: () => void;
  title?: string;
  /** Keeps its place in the order, but is not shown. */
  isHidden?: boolean;
  children?: ComponentChildren;
}

/** A tag in the colour of its name, which is the same on all pages. */
export function TagChip({ tag, href, onFind, title, isHidden, children }: Props) {
  const look = {
    class: isHidden === true ? "tag hidden" : "tag",
    style: { "--tag": tagColour(tag).css },
    title,
  };
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
