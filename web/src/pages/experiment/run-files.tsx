import type { RunFile } from "@lossless/client";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { PageLocation } from "../../location.ts";
import { persistently } from "../../parts/persistently.ts";
import { countText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import { runFiles } from "../artifact/file-source.ts";
import { Files } from "../artifact/files.tsx";
import { LookedAt } from "../artifact/looked-at.tsx";

interface Read {
  files: readonly RunFile[];
  next: string | null;
}

/** The first pages of the files of a run or a logged model; read again at another revision. */
export function useRunFiles(
  service: Service,
  owner: string,
  revision: number,
  pages: number,
): { read: Read | undefined; problem: string | undefined } {
  const [read, setRead] = useState<Read>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const stopped = new AbortController();
    const readPages = async (signal: AbortSignal): Promise<Read> => {
      const files: RunFile[] = [];
      let next: string | null = "";
      for (let page = 0; page < pages && next !== null; page++) {
        const found = await service.client.views.runFiles(owner, { after: next }, signal);
        files.push(...found.files);
        ({ next } = found);
      }
      return { files, next };
    };
    void persistently(readPages, stopped.signal, setProblem).then((found) => {
      if (found === undefined) return;
      setRead(found);
      setProblem(undefined);
    });
    return () => stopped.abort();
  }, [service, owner, revision, pages]);
  return { read, problem };
}

interface Props {
  service: Service;
  location: PageLocation;
  /** The id of an experiment or of a logged model. */
  owner: string;
  revision: number;
  /** Said where there are no files; undefined: then nothing is. */
  empty?: string;
}

/** The files that MLflow's clients wrote, as a tree; one that is chosen is shown beside it. */
export function RunFiles({ service, location, owner, revision, empty }: Props) {
  const [pages, setPages] = useState(1);
  const { read, problem } = useRunFiles(service, owner, revision, pages);
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
          The first {countText(listed.length)} by path.{" "}
          <button type="button" onClick={() => setPages(pages + 1)}>
            more
          </button>
        </p>
      )}
    </>
  );
}
