import { useMemo, useState } from "preact/hooks";
import { countText, messageOf } from "../../parts/words.ts";
import { FileLines } from "./file-lines.tsx";
import { download, type FileSource } from "./file-source.ts";
import { fileLines, foundFiles, type FileLine, type ListedFile } from "./file-tree.ts";

/** Files up to which all directories are open at first. */
const openMax = 60;

interface Props {
  files: readonly ListedFile[];
  chosen: string | undefined;
  onChoose: (name: string) => void;
  source: FileSource;
}

/** The files as a tree, or as a list of search results. */
export function Files({ files, chosen, onChoose, source }: Props) {
  const [search, setSearch] = useState("");
  /** Directories that were opened or closed since. */
  const [turned, setTurned] = useState<ReadonlySet<string>>(() => new Set());
  const [problem, setProblem] = useState<string>();
  const lines = useMemo(() => {
    if (search.trim() !== "") return foundFiles(files, search);
    const isOpenAtFirst = files.length <= openMax;
    return fileLines(files, (path) => turned.has(path) !== isOpenAtFirst);
  }, [files, search, turned]);
  const turn = (path: string) => {
    const next = new Set(turned);
    if (!next.delete(path)) next.add(path);
    setTurned(next);
  };
  const act = (line: FileLine) => (line.file === undefined ? turn(line.path) : onChoose(line.path));
  const save = (path: string) => {
    download(source, path).then(
      () => setProblem(undefined),
      (error: unknown) => setProblem(messageOf(error)),
    );
  };
  return (
    <div class="file-list">
      <div class="query">
        <h3>
          Files <span class="count">{countText(files.length)}</span>
        </h3>
        <input
          type="search"
          aria-label="Search files"
          placeholder="Search files"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      </div>
      {problem !== undefined && <p role="alert">{problem}</p>}
      <FileLines lines={lines} chosen={chosen} onAct={act} onSave={save} />
      {lines.length === 0 && <p class="count">No file matches.</p>}
    </div>
  );
}
