import { Labelled } from "../../parts/labelled.tsx";
import type { Service } from "../../signed-in.ts";
import { defaultSort } from "../experiments/table-address.ts";
import { type Chosen, withLive } from "./chosen-block.ts";
import { FolderField } from "./folder-field.tsx";
import type { ReportBoard } from "./report-board.tsx";

interface Props<Block extends Chosen> {
  service: Service;
  board: ReportBoard;
  block: Block;
  /** Label of the order: which ones are shown. */
  label: string;
  onChange: (block: Block) => void;
}

/** Where and in which order a query finds the experiments of a block. */
export function LiveFields<Block extends Chosen>(props: Props<Block>) {
  const { service, board, block, label, onChange } = props;
  return (
    <>
      <Labelled label={label}>
        <input
          value={block.sort ?? ""}
          placeholder={defaultSort}
          onChange={(event) => {
            const sort = event.currentTarget.value.trim() || undefined;
            onChange(withLive(block, { sort }));
          }}
        />
      </Labelled>
      <FolderField
        {...{ service, board, folderId: block.folderId }}
        onChoose={(folderId) => onChange(withLive(block, { folderId }))}
      />
    </>
  );
}
