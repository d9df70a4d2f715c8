import { limits } from "@lossless/protocol/limits";
import type { TextBlock } from "@lossless/protocol";
import { useLayoutEffect, useRef } from "preact/hooks";
import { placeInSource } from "./caret-at.ts";
import type { CaretPlace } from "./use-open-block.ts";
import { isOfPictures, picturesIn } from "../pictures/taken-pictures.ts";

interface Props {
  block: TextBlock;
  /** Where the caret begins; undefined: at the end. */
  around: CaretPlace | undefined;
  onChange: (block: TextBlock) => void;
  /** Takes pictures into the text at a place. */
  onPictures: (files: readonly File[], at: number) => void;
}

/** The source of a text, in its place: as wide, and as high as what it contains. */
export function TextSource({ block, around, onChange, onPictures }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  const chosen = useRef<HTMLInputElement>(null);
  const { markdown } = block;
  /** Whether the caret goes behind what is put into the text next. */
  const isTaking = useRef(false);
  useLayoutEffect(() => {
    write(field.current!, markdown, isTaking.current);
    isTaking.current = false;
  }, [markdown]);
  useLayoutEffect(() => {
    const { current } = field;
    const at = caretIn(markdown, around) ?? markdown.length;
    current!.focus({ preventScroll: true });
    current!.setSelectionRange(at, at);
  }, []);
  const take = (files: readonly File[]) => {
    isTaking.current = true;
    onPictures(files, field.current?.selectionStart ?? markdown.length);
  };
  return (
    <div class="text-source">
      <textarea
        ref={field}
        aria-label="Text, in Markdown"
        rows={1}
        maxLength={limits.reportTextCharactersMax}
        onInput={(event) => onChange({ ...block, markdown: event.currentTarget.value })}
        onPaste={(event) => {
          if (!isOfPictures(event.clipboardData)) return;
          event.preventDefault();
          take(picturesIn(event.clipboardData));
        }}
        onDrop={(event) => {
          const files = picturesIn(event.dataTransfer);
          if (files.length === 0) return;
          event.preventDefault();
          event.stopPropagation();
          take(files);
        }}
      />
      <p class="count">
        <button type="button" class="quiet" onClick={() => chosen.current?.click()}>
          + picture
        </button>
        <input
          ref={chosen}
          type="file"
          hidden
          multiple
          accept="image/png,image/jpeg,image/webp,image/gif"
          aria-label="Choose pictures"
          onChange={({ currentTarget }) => {
            take([...(currentTarget.files ?? [])]);
            currentTarget.value = "";
          }}
        />
        <span>
          Markdown, <code>$formulas$</code>, pictures pasted or dropped. Esc shows it.
        </span>
      </p>
    </div>
  );
}

function caretIn(source: string, around: CaretPlace | undefined): number | undefined {
  if (around === undefined) return undefined;
  return "at" in around ? around.at : placeInSource(source, around);
}

/** Writes a text into a field, which keeps its caret and is as high as the text. */
function write(field: HTMLTextAreaElement, text: string, isCaretBehind: boolean): void {
  const { value } = field;
  if (value !== text) {
    const most = Math.min(value.length, text.length);
    let start = 0;
    while (start < most && value[start] === text[start]) start++;
    let end = 0;
    while (end < most - start && value.at(-1 - end) === text.at(-1 - end)) end++;
    const added = text.slice(start, text.length - end);
    field.setRangeText(added, start, value.length - end, isCaretBehind ? "end" : "preserve");
  }
  // Other browsers do it by the style.
  if (CSS.supports("field-sizing", "content")) return;
  const { scrollX, scrollY } = window;
  field.style.height = "0";
  field.style.height = `${field.scrollHeight}px`;
  window.scrollTo(scrollX, scrollY);
}
