import { useRef } from "preact/hooks";
import { messageOf } from "../../../parts/words.ts";
import type { ReportPictures } from "../pictures/report-pictures.ts";
import {
  placeholderOf,
  withPicture,
  withPictures,
  wordsOfFile,
} from "../pictures/taken-pictures.ts";
import { type DraftBlock, inserted, replaced } from "../report-draft.ts";
import type { Draft } from "./use-draft.ts";

/** Puts pictures into texts. */
export interface TakenPictures {
  /** At a place in a text. */
  insert: (key: number, files: readonly File[], at: number) => void;
  /** At the end of a text, or in a text of their own behind another block. */
  drop: (onto: DraftBlock, files: readonly File[]) => void;
}

/** Each picture keeps its place in a text while it is sent. */
export function useTakenPictures(
  pictures: ReportPictures,
  { blocks, made: newOne, change, complete }: Draft,
  onProblem: (problem: string | undefined) => void,
): TakenPictures {
  const count = useRef(0);
  const send = (file: File, words: string, placeholder: string): void => {
    const fill = (picture: string | undefined) =>
      complete((draft) =>
        draft.map((one) =>
          one.block.kind === "text" && one.block.markdown.includes(placeholder)
            ? withText(one, withPicture(one.block.markdown, placeholder, words, picture))
            : one,
        ),
      );
    pictures.add(file).then(fill, (error: unknown) => {
      fill(undefined);
      onProblem(`${file.name || words}: ${messageOf(error)}`);
    });
  };
  /** The sources of pictures, and what sends them. */
  const sourceOf = (files: readonly File[]) => {
    onProblem(undefined);
    const taken = files.map((file) => {
      const words = wordsOfFile(file.name);
      return { file, words, placeholder: placeholderOf(words, ++count.current) };
    });
    return {
      sources: taken.map(({ placeholder }) => placeholder),
      send: () => taken.forEach(({ file, words, placeholder }) => send(file, words, placeholder)),
    };
  };
  return {
    insert(key, files, at) {
      const one = blocks.find((each) => each.key === key);
      if (one?.block.kind !== "text") return;
      const made = sourceOf(files);
      const markdown = withPictures(one.block.markdown, at, made.sources);
      change(replaced(blocks, key, { ...one.block, markdown }));
      made.send();
    },
    drop(onto, files) {
      const made = sourceOf(files);
      if (onto.block.kind === "text") {
        const kept = `${onto.block.markdown.trimEnd()}\n`.trimStart();
        const markdown = withPictures(kept, kept.length, made.sources);
        change(replaced(blocks, onto.key, { ...onto.block, markdown }));
      } else {
        const one = newOne({ kind: "text", markdown: withPictures("", 0, made.sources) });
        const behind = blocks[blocks.indexOf(onto) + 1];
        change(inserted(blocks, one, behind?.key));
      }
      made.send();
    },
  };
}

function withText(one: DraftBlock, markdown: string): DraftBlock {
  return one.block.kind === "text" ? { ...one, block: { ...one.block, markdown } } : one;
}
