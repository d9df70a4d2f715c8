import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Copy } from "../../parts/copy.tsx";
import { bytesText, countedText, countText } from "../../parts/words.ts";
import { signs, type Mark, type SavedVersion } from "./marks.ts";

/** Marks shown at a time: an experiment may have a hundred thousand annotations in one place. */
const shownAtOnce = 100;

interface Props {
  /** All marks in one place of the axis, or closer than a target's width. */
  marks: readonly Mark[];
  /** Whether the command of the only mark was copied. */
  isCopied: boolean;
  onClose: () => void;
}

/** A card below the lane with each mark; for versions with the command that fetches them. */
export function MarksCard({ marks, isCopied, onClose }: Props) {
  const [shown, setShown] = useState(shownAtOnce);
  const list = useRef<HTMLUListElement>(null);
  // A list of marks gets the focus; a single mark was described by its button, and a click may copy
  // again.
  useLayoutEffect(() => {
    if (marks.length > 1) list.current!.focus();
  }, []);
  const rest = marks.length - shown;
  const showMore = () => {
    setShown(shown + shownAtOnce);
    // The button may disappear with its content, and with it the focus.
    list.current!.focus({ preventScroll: true });
  };
  return (
    <div
      class="marks-card"
      role="group"
      aria-label="Marks at this place"
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    >
      {/* Scrollable content must be reachable by the keyboard. */}
      <ul ref={list} tabIndex={0} aria-label={countedText(marks.length, "mark")}>
        {marks.slice(0, shown).map((mark, at) => (
          <li key={at}>
            <span class={mark.kind} aria-hidden="true">
              {signs[mark.kind]}
            </span>
            {mark.saved === undefined ? (
              <>
                <span class="words">{mark.words}</span>
                {mark.show !== undefined && (
                  <button type="button" onClick={mark.show}>
                    show
                  </button>
                )}
              </>
            ) : (
              <Version saved={mark.saved} isAlone={marks.length === 1} isCopied={isCopied} />
            )}
          </li>
        ))}
        {rest > 0 && (
          <li>
            <button type="button" onClick={showMore}>
              show {countText(Math.min(rest, shownAtOnce))} more of {countText(rest)}
            </button>
          </li>
        )}
      </ul>
      <button type="button" aria-label="Close" onClick={onClose}>
        ✕
      </button>
    </div>
  );
}

function Version(props: { saved: SavedVersion; isAlone: boolean; isCopied: boolean }) {
  const { saved, isAlone, isCopied } = props;
  return (
    <>
      <strong>{saved.version}</strong>
      <span>{saved.artifact}</span>
      <Copy text={saved.command} label={isAlone ? "copy" : "copy pull command"} />
      <a href={saved.address}>open</a>
      {saved.bytes !== undefined && (
        <span class="count">
          {bytesText(saved.bytes)} in {countedText(saved.files ?? 0, "file")}
        </span>
      )}
      {isAlone && (
        <code aria-live="polite">
          {isCopied && "copied: "}
          {saved.command}
        </code>
      )}
    </>
  );
}
