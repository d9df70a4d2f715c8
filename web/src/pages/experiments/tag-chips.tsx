import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { TagChip } from "../../parts/tag-chip.tsx";
import { tagQuery } from "../../tags/tag-query.ts";

interface Props {
  tags: readonly string[];
  onFind: (test: string) => void;
}

/** Between two chips, and for the number of those that are left out. */
const gapPixels = 4;
const morePixels = 32;

/**
 * The tags of a row. Those that do not fit are counted (+2): the title of the number names all, and
 * the cell shows all while it is the focused one.
 */
export function TagChips({ tags, onFind }: Props) {
  const list = useRef<HTMLSpanElement>(null);
  const [fitting, setFitting] = useState(tags.length);
  const text = tags.join(", ");
  useLayoutEffect(() => {
    const cell = list.current!.parentElement!;
    const look = () => setFitting(fittingIn(cell, list.current!));
    look();
    const observer = new ResizeObserver(look);
    observer.observe(cell);
    return () => observer.disconnect();
  }, [text]);
  return (
    <span class={fitting < tags.length ? "tags cut" : "tags"} ref={list}>
      {tags.map((tag, at) => (
        <TagChip
          key={tag}
          tag={tag}
          isHidden={at >= fitting}
          title={`Find experiments with ${tagQuery(tag)}`}
          onFind={() => onFind(tagQuery(tag))}
        />
      ))}
      {fitting < tags.length && (
        <span
          class="left-out"
          role="img"
          aria-label={`and ${tags.slice(fitting).join(", ")}`}
          title={text}
        >
          +{tags.length - fitting}
        </span>
      )}
    </span>
  );
}

/** How many of the chips fit into a cell; the first is always shown. */
function fittingIn(cell: HTMLElement, list: HTMLElement): number {
  const { paddingLeft, paddingRight } = getComputedStyle(cell);
  const room = cell.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  const chips = [...list.querySelectorAll<HTMLElement>(".tag")];
  // A shrunk chip is as wide as its text would be, and its two edges.
  const ends: number[] = [];
  for (const { scrollWidth } of chips)
    ends.push((ends.at(-1) ?? -gapPixels) + gapPixels + scrollWidth + 2);
  if (ends.at(-1)! <= room) return chips.length;
  return Math.max(1, ends.filter((end) => end + gapPixels + morePixels <= room).length);
}
