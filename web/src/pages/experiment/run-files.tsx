import type { RunFile } from "@lossless/client";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { PageLocation } from "../../location.ts";
import { persistently } from "../../parts/persistently.ts";
import { countedText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import { runFiles } from "../artifact/file-source.ts";
import { Files } from "../artifact/files.tsx";
import { LookedAt } from "../artifact/looked-at.tsx";

interface FilePages {
  files: readonly RunFile[];
  next: string | null;
}

/**
 * The files of a run or a logged model: a page, and another with each `more`. A new revision reads
 * the shown ones again; undefined: nothing announces new files.
 */
function useRunFiles(
  { client: { views } }: Service,
  owner: string,
  revision: number | undefined,
): { read: FilePages | undefined; problem: string | undefined; more: () => void } {
  const [read, setRead] = useState<FilePages>();
  const [problem, setProblem] = useState<string>();
  const pages = useRef(1);
  const stopped = useRef(new AbortController());
  const show = async (
    reading: (signal: AbortSignal) => Promise<FilePages>,
    togetherWith: (before: FilePages | undefined, found: FilePages) => FilePages | undefined,
  ) => {
    const found = await persistently(reading, stopped.current.signal, setProblem);
    if (found === undefined) return;
    setRead((before) => togetherWith(before, found));
    setProblem(undefined);
  };
  const readPage = (after: string, signal: AbortSignal) => views.runFiles(owner, { after }, signal);
  useEffect(() => {
    stopped.current = new AbortController();
    const readAgain = async (signal: AbortSignal) => {
      let all: FilePages = await readPage("", signal);
      for (let page = 1; page < pages.current && all.next !== null; page++)
        all = together(all, await readPage(all.next, signal));
      return all;
    };
    void show(readAgain, (_, found) => found);
    return () => stopped.current.abort();
  }, [views, owner, revision]);
  const more = () => {
    const after = read?.next;
    if (after == null) return;
    pages.current++;
    // A faster call has stored it already.
    void show(
      (signal) => readPage(after, signal),
      (before, found) => (before?.next === after ? together(before, found) : before),
    );
  };
  return { read, problem, more };
}

function together(before: FilePages, { files, next }: FilePages): FilePages {
  return { files: [...before.files, ...files], next };
}

interface Props {
  service: Service;
  location: PageLocation;
  /** Id of an experiment or a logged model. */
  owner: string;
  /** Changes with new files; absent: nothing announces them. */
  revision?: number;
  /** Text shown without files; undefined: nothing is shown. */
  empty?: string;
}

/** Files written by MLflow's clients, as a tree with the chosen one beside it. */
export function RunFiles({ service, location, owner, revision, empty }: Props) {
  const { read, problem, more } = useRunFiles(service, owner, revision);
  const source = useMemo(() => runFiles(service, owner), [service, owner]);
  const listed = useMemo(
    () => read?.files.map(({ path, bytes }) => ({ name: path, size: bytes })) ?? [],
    [read],
  );
  if (problem !== undefined) return <p role="alert">Files could not be read: {problem}</p>;
  if (read === undefined) return null;
  if (listed.length === 0) return empty === undefined ? null : <p class="count">{empty}</p>;
  const isHere = location.parameter("of") === owner;
  const file = isHere ? location.parameter("file") : undefined;
  const chosen = listed.find(({ name }) => name === file);
  const choose = (name: string | undefined) =>
    location.change({ file: name, of: name === undefined ? undefined : owner }, !isHere);
  return (
    <>
      <section class="files" aria-label="Files">
        <Files files={listed} chosen={file} onChoose={choose} source={source} />
        {chosen !== undefined && (
          <LookedAt
            key={chosen.name}
            source={source}
            file={chosen.name}
            sizeBytes={chosen.size}
            checksum={null}
            onClose={() => choose(undefined)}
          />
        )}
        {file !== undefined && chosen === undefined && (
          <p role="alert">There is no file {JSON.stringify(file)} here.</p>
        )}
      </section>
      {read.next !== null && (
        <p class="count">
          Showing the first {countedText(listed.length, "file")} by path.{" "}
          <button type="button" onClick={more}>
            show more
          </button>
        </p>
      )}
    </>
  );
}
