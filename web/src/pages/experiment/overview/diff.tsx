import { useState } from "preact/hooks";
import { useRead } from "../../../parts/use-read.ts";
import { bytesText, countedText, messageOf } from "../../../parts/words.ts";
import type { Service } from "../../../signed-in.ts";
import { download, versionFiles, type FileSource } from "../../artifact/file-source.ts";
import type { DiffFile } from "./captured.ts";
import { diffText } from "./diff-lines.ts";

/** Bytes shown; a download has all of them. */
const shownBytesMax = 262_144;

/** The difference from the commit, which is read when it is opened. */
export function Diff({ service, diff }: { service: Service; diff: DiffFile }) {
  const [isOpen, setIsOpen] = useState(false);
  const [problem, setProblem] = useState<string>();
  const { artifact, version, path, bytes, isCut } = diff;
  const source = versionFiles(service, { artifact, version });
  const save = () => {
    download(source, path).then(
      () => setProblem(undefined),
      (error: unknown) => setProblem(messageOf(error)),
    );
  };
  return (
    <details class="diff" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>diff {bytes !== undefined && <span class="count">{bytesText(bytes)}</span>}</summary>
      {isOpen && (
        <>
          <p class="count">
            <button type="button" class="plain" onClick={save}>
              download {path}
            </button>
            {isCut && ", of which the run kept only the beginning"}
          </p>
          {problem !== undefined && <p role="alert">{problem}</p>}
          <DiffLines source={source} path={path} />
        </>
      )}
    </details>
  );
}

function DiffLines({ source, path }: { source: FileSource; path: string }) {
  const { found, problem } = useRead(
    async (stopped) => {
      // One more byte tells whether there are more.
      const read = await source.part(path, { length: shownBytesMax + 1 }, stopped);
      const text = new TextDecoder().decode(read.subarray(0, shownBytesMax));
      return { ...diffText(text), isCutHere: read.length > shownBytesMax };
    },
    [source.key, path],
  );
  if (found === undefined)
    return problem === undefined ? (
      <p class="count">…</p>
    ) : (
      <p role="alert">The diff cannot be shown: {problem}</p>
    );
  const { lines, files, added, removed, isCut, isCutHere } = found;
  return (
    <>
      <p class="count">
        {countedText(files, "file")}, {countedText(added, "line")} added, {removed} removed
        {(isCut || isCutHere) && " in the beginning that is shown here. Download it for the rest"}
      </p>
      <pre tabIndex={0} aria-label="Difference from the commit" role="region">
        {lines.map(({ kind, text }, at) => (
          <span key={at} class={kind}>
            {text}
            {"\n"}
          </span>
        ))}
      </pre>
    </>
  );
}
