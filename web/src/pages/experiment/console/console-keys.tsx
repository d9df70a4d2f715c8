import { useState } from "preact/hooks";
import { KeyHelp, type KeyList } from "../../../parts/key-help.tsx";
import { usePageKeys } from "../../../parts/use-page-keys.ts";
import { tabKeys } from "../tab-keys.tsx";

interface Props {
  onFind: (direction: 1 | -1) => void;
  onChoose: (direction: 1 | -1) => void;
  onGo: (place: 0 | "end") => void;
  onWrap: () => void;
}

const keyList: KeyList = [
  ["/", "search"],
  ["n N", "go to the next or previous line that matches"],
  ["g G", "go to the first line, or to the end, which is then followed"],
  ["j k", "choose the next or previous line"],
  ["w", "wrap long lines, or not"],
  ["?", "show this list"],
  ["↑ ↓ Page Space", "scroll, when the lines have the focus"],
  ["click a number", "choose its line; with Shift all lines up to it"],
];

/** The keys of the console, as in less. */
export function ConsoleKeys({ onFind, onChoose, onGo, onWrap }: Props) {
  const [isShown, setIsShown] = useState(false);
  usePageKeys((event) => {
    const act = {
      "/": () => document.querySelector<HTMLElement>("[aria-keyshortcuts='/']")?.focus(),
      n: () => onFind(1),
      N: () => onFind(-1),
      g: () => onGo(0),
      G: () => onGo("end"),
      j: () => onChoose(1),
      k: () => onChoose(-1),
      w: onWrap,
      "?": () => setIsShown(true),
    }[event.key];
    if (act === undefined) return;
    act();
    event.preventDefault();
  });
  return (
    <>
      <button type="button" aria-label="Keyboard shortcuts" onClick={() => setIsShown(true)}>
        ?
      </button>
      {isShown && <KeyHelp keys={[...keyList, ...tabKeys]} onClose={() => setIsShown(false)} />}
    </>
  );
}
