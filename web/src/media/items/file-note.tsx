import type { LoggedFile } from "@lossless/client";
import { useContext, useState } from "preact/hooks";
import { bytesText, messageOf } from "../../parts/words.ts";
import { download } from "../../pages/artifact/file-source.ts";
import { FilesContext, shownFileBytesMax, sourceOf } from "../use-file.ts";

/** Why a file is not shown, with a button that saves it. */
export function FileNote({ file, children }: { file: LoggedFile; children: string }) {
  return (
    <p class="count">
      {children} <Download file={file} />
    </p>
  );
}

/** The note of a file that is too large. */
export function TooLarge({ file, what }: { file: LoggedFile; what: string }) {
  return (
    <FileNote
      file={file}
    >{`${what} are shown up to ${bytesText(shownFileBytesMax)}; this one has ${bytesText(file.bytes ?? 0)}.`}</FileNote>
  );
}

export function Download({ file }: { file: LoggedFile }) {
  const { service } = useContext(FilesContext)!;
  const [problem, setProblem] = useState<string>();
  const save = () => {
    download(sourceOf(service, file), file.path).then(
      () => setProblem(undefined),
      (error: unknown) => setProblem(messageOf(error)),
    );
  };
  return (
    <>
      <button type="button" onClick={save}>
        download
      </button>
      {problem !== undefined && <span role="alert"> {problem}</span>}
    </>
  );
}
