import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { ListedNames, type NameRoom } from "./listed-names.ts";

interface Props {
  name: string;
  /** The names of its list; undefined: it stands alone. */
  names?: ListedNames | undefined;
}

/**
 * A name on one line, as short as its room makes it. Hidden from screen readers, as the element
 * that it names has the name.
 */
export function CutName({ name, names }: Props) {
  const [element, room] = useNameRoom();
  const alone = useMemo(() => new ListedNames([name]), [name]);
  return (
    <span class="cut-name" aria-hidden="true" data-whole={name} ref={element}>
      <bdi>{(names ?? alone).textOf(name, room)}</bdi>
    </span>
  );
}

/** The room of an element that is as wide as its whole name, or less where there is less room. */
function useNameRoom() {
  const element = useRef<HTMLSpanElement>(null);
  const [room, setRoom] = useState<NameRoom>();
  useLayoutEffect(() => {
    const shown = element.current!;
    const sized = new ResizeObserver(() => setRoom((before) => same(before, roomOf(shown))));
    sized.observe(shown);
    return () => sized.disconnect();
  }, []);
  return [element, room] as const;
}

function same(before: NameRoom | undefined, now: NameRoom): NameRoom {
  const isSame =
    before?.width === now.width && before.font === now.font && before.isWhole === now.isWhole;
  return isSame ? before : now;
}

/** Letters of a second line that its first one may leave free, as lines break anywhere. */
const raggedLetters = 1;

function roomOf(element: HTMLElement): NameRoom {
  const style = getComputedStyle(element);
  const font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const { clientWidth, scrollWidth } = element;
  const isWhole = scrollWidth <= clientWidth;
  const lines = Number(style.getPropertyValue("--name-lines") || 1);
  if (lines === 1 || isWhole) return { width: clientWidth, font, isWhole };
  const width = lines * clientWidth - raggedLetters * Number.parseFloat(style.fontSize);
  return { width, font, isWhole: scrollWidth <= width };
}
