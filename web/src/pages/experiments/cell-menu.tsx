import { useLayoutEffect, useRef } from "preact/hooks";
import { type CellActions, cellEntries } from "./cell-entries.ts";

interface Props extends CellActions {
  /** The cell that it belongs to. */
  anchor: DOMRect;
  /** With `isReturned` the focus goes back to the table. */
  onClose: (isReturned: boolean) => void;
}

/** Actions on a cell, below it: arrows move, Escape or a press elsewhere closes. */
export function CellMenu({ anchor, onClose, ...actions }: Props) {
  const { row } = actions;
  const menu = useRef<HTMLDivElement>(null);
  const items = () => [...menu.current!.querySelectorAll<HTMLElement>("[role=menuitem]")];
  useLayoutEffect(() => {
    const element = menu.current!;
    const { width, height } = element.getBoundingClientRect();
    const left = Math.min(anchor.left, window.innerWidth - width - 8);
    const isAbove = anchor.bottom + height > window.innerHeight - 8;
    element.style.left = `${Math.max(8, left)}px`;
    element.style.top = `${Math.max(8, isAbove ? anchor.top - height : anchor.bottom)}px`;
    items()[0]?.focus();
  }, []);
  const press = (event: KeyboardEvent) => {
    event.stopPropagation();
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    if (event.key === "ArrowDown") all[(at + 1) % all.length].focus();
    else if (event.key === "ArrowUp") all[(at - 1 + all.length) % all.length].focus();
    else if (event.key === "Home") all[0].focus();
    else if (event.key === "End") all.at(-1)!.focus();
    else if (event.key === "Escape" || event.key === "Tab") onClose(true);
    else return;
    event.preventDefault();
  };
  return (
    <div
      class="cell-menu"
      role="menu"
      aria-label={`Actions on ${row.name ?? row.slug}`}
      ref={menu}
      onKeyDown={press}
      onFocusOut={({ relatedTarget }) => {
        const isInside = relatedTarget instanceof Node && menu.current!.contains(relatedTarget);
        if (!isInside) onClose(false);
      }}
    >
      {cellEntries(actions).map(({ words, keys, begins, act }) => (
        <button
          key={words}
          type="button"
          role="menuitem"
          tabIndex={-1}
          class={begins === true ? "begins" : ""}
          onClick={() => {
            onClose(true);
            act();
          }}
        >
          <bdi>{words}</bdi> {keys !== undefined && <kbd>{keys}</kbd>}
        </button>
      ))}
    </div>
  );
}
