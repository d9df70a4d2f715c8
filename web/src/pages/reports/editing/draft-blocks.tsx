import { useState } from "preact/hooks";
import type { Service } from "../../../signed-in.ts";
import type { ReportBoard } from "../report-board.tsx";
import {
  type AddedKind,
  type DraftBlock,
  dropped,
  duplicated,
  inserted,
  moved,
  newBlock,
  removed,
  replaced,
  type RemovedBlock,
  restored,
  withMedia,
  withSeries,
  withWidth,
} from "../report-draft.ts";
import { AddAtEnd } from "./add-block.tsx";
import { BlockContent } from "./block-content.tsx";
import { EditedBlock, titleOf } from "./edited-block.tsx";
import { fillTable, foundOf } from "./fill-table.ts";
import { RemovedNote } from "./removed-block.tsx";
import type { Draft } from "./use-draft.ts";
import type { OpenBlock } from "./use-open-block.ts";
import type { TakenPictures } from "./use-taken-pictures.ts";

interface Props {
  service: Service;
  board: ReportBoard;
  draft: Draft;
  opened: OpenBlock;
  taken: TakenPictures;
}

/** The blocks of a report that is written, each in its place. */
export function DraftBlocks({ service, board, draft, opened, taken }: Props) {
  const { blocks, change } = draft;
  const [gone, setGone] = useState<RemovedBlock>();
  /** The block that was added last, to which the focus goes. */
  const [added, setAdded] = useState<number>();
  const add = (kind: AddedKind, before?: number) => {
    const at = before === undefined ? blocks.length : blocks.findIndex(({ key }) => key === before);
    const one = draft.made(newBlock(kind, blocks.slice(0, at)));
    change(inserted(blocks, one, before));
    setAdded(one.key);
    opened.open(one.key, kind === "formula" ? { at: "$$\n".length } : undefined);
    fillTable(service, one, foundOf(one), draft.complete);
  };
  const remove = (one: DraftBlock, at: number) => {
    setGone({ one, at });
    change(removed(blocks, one.key));
  };
  // Undo brings it back, too.
  const isGone = gone !== undefined && blocks.every(({ key }) => key !== gone.one.key);
  const note = isGone && (
    <RemovedNote
      key={`removed ${gone.one.key}`}
      kind={gone.one.block.kind}
      onRestore={() => {
        change(restored(blocks, gone));
        setGone(undefined);
      }}
    />
  );
  return (
    <>
      {blocks.flatMap((one, at) => [
        isGone && gone.at === at && note,
        <EditedBlock
          key={one.key}
          one={one}
          title={titleOf(one.block, at)}
          isOpen={opened.key === one.key}
          isNew={one.key === added}
          onOpen={(around) => opened.open(one.key, around)}
          onClose={() => opened.close(one.key)}
          onAdd={(kind) => add(kind, one.key)}
          onHalf={(isHalf) => change(replaced(blocks, one.key, withWidth(one.block, isHalf)))}
          onStep={(by) => change(moved(blocks, one.key, by))}
          onDrop={(over, isAfter) => change(dropped(blocks, one.key, over, isAfter))}
          onCopy={() => change(duplicated(blocks, one.key, draft.made(one.block)))}
          onRemove={() => remove(one, at)}
          onPictures={(files) => taken.drop(one, files)}
        >
          <BlockContent
            {...{ service, board, block: one.block }}
            isOpen={opened.key === one.key}
            isNew={one.key === added}
            around={opened.around}
            onFirstMedia={(first) => draft.complete((before) => withMedia(before, one.key, first))}
            onFirst={(name) => draft.complete((before) => withSeries(before, one.key, name))}
            onChange={(next) => draft.write(one.key, next)}
            onUsual={(found) => fillTable(service, one, found, draft.complete)}
            onPictures={(files, place) => taken.insert(one.key, files, place)}
          />
        </EditedBlock>,
      ])}
      {isGone && gone.at >= blocks.length && note}
      <AddAtEnd onAdd={(kind) => add(kind)} />
    </>
  );
}
