import type { FolderTree } from "@lossless/client";
import type { PageProps } from "../page.ts";
import { countText } from "../parts/words.ts";
import { foldersOf } from "./rows.ts";

interface Props extends Pick<PageProps, "location"> {
  tree: FolderTree;
  total: number;
}

/** Each folder has the number of experiments in it and below; one of them, or all, is looked at. */
export function FolderTreeNav({ tree, total, location }: Props) {
  const wanted = location.parameter("folder");
  const choose = (folder: string | undefined) => location.change({ folder }, true);
  return (
    <nav class="folders" aria-label="Folders">
      <button type="button" aria-pressed={wanted === undefined} onClick={() => choose(undefined)}>
        <span>All</span> <span class="count">{countText(total)}</span>
      </button>
      {foldersOf(tree).map(({ folderId, name, depth, count }) => (
        <button
          key={folderId}
          type="button"
          aria-pressed={wanted === folderId}
          style={{ paddingLeft: `${0.75 + depth}rem` }}
          onClick={() => choose(folderId)}
        >
          <span>{name}</span> <span class="count">{countText(count)}</span>
        </button>
      ))}
    </nav>
  );
}
