import { Menu } from "../../../parts/menu.tsx";
import { type AddedKind, emptyBlocks } from "../report-draft.ts";

interface Props {
  onAdd: (kind: AddedKind) => void;
}

const kinds = Object.keys(emptyBlocks) as AddedKind[];

/** Adds a block at the end. */
export function AddAtEnd({ onAdd }: Props) {
  return (
    <div class="actions" role="group" aria-label="New blocks">
      {kinds.map((kind) => (
        <button key={kind} type="button" onClick={() => onAdd(kind)}>
          + {kind}
        </button>
      ))}
    </div>
  );
}

/** Adds a block before another one. */
export function AddBefore({ title, onAdd }: Props & { title: string }) {
  return (
    <div class="add-before">
      <Menu sign="+" label={`Add before: ${title}`}>
        {kinds.map((kind) => (
          <button key={kind} type="button" onClick={() => onAdd(kind)}>
            {kind}
          </button>
        ))}
      </Menu>
    </div>
  );
}
