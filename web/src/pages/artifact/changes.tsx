import type { VersionRecord, ViewedVersion } from "@lossless/client";
import { useState } from "preact/hooks";
import type { PageProps } from "../../page.ts";
import { useRead } from "../../parts/use-read.ts";
import { bytesText, countedText, countText } from "../../parts/words.ts";
import { withoutReload } from "../../parts/without-reload.ts";
import { changesOf, type FileChange } from "./file-changes.ts";
import { readAllChecksums } from "./read-checksums.ts";

interface Props extends PageProps {
  artifact: string;
  record: VersionRecord;
  listed: readonly ViewedVersion[];
}

/** The differences from another version, named by `with` in the address. */
export function Changes({ artifact, record, listed, service, location }: Props) {
  const other = location.parameter("with");
  const earlier = listed.find(({ version }) => version < record.version)?.version;
  const [typed, setTyped] = useState(other ?? earlier ?? "");
  const compare = (version: string | undefined) => location.change({ with: version }, true);
  return (
    <section class="changes" aria-label="Compare with another version">
      <form class="query" onSubmit={withoutReload(() => compare(typed.trim()))}>
        <h3>Compare</h3>
        <label>
          with{" "}
          <input
            list="other-versions"
            value={typed}
            placeholder="a version"
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        <datalist id="other-versions">
          {listed.slice(0, 100).map(({ version }) => (
            <option key={version} value={version} />
          ))}
        </datalist>
        <button type="submit">compare files</button>
        {other !== undefined && (
          <button type="button" onClick={() => compare(undefined)}>
            close
          </button>
        )}
      </form>
      {other !== undefined && (
        <FileDifferences key={other} {...{ artifact, record, other, service }} />
      )}
    </section>
  );
}

interface ComparedProps extends Pick<PageProps, "service"> {
  artifact: string;
  record: VersionRecord;
  other: string;
}

function FileDifferences({ artifact, record, other, service }: ComparedProps) {
  const { found, problem } = useRead(
    async (stopped) => {
      const before = await service.client.artifacts.readVersion(artifact, other, {
        signal: stopped,
      });
      const [was, is] = await Promise.all(
        [before, record].map((one) => readAllChecksums(service, one, stopped)),
      );
      return changesOf(
        { files: before.files, checksums: was },
        { files: record.files, checksums: is },
      );
    },
    [artifact, record.version, other],
  );
  if (found === undefined)
    return <p class={problem === undefined ? "waiting" : ""}>{problem ?? "Comparing …"}</p>;
  const { changes, same } = found;
  return (
    <>
      <p>
        {changes.length === 0
          ? `${same === 1 ? "The file is" : `All ${countText(same)} files are`} the same as in ${other}.`
          : `Compared with ${other}: ${countedText(changes.length, "file")} ${changes.length === 1 ? "differs" : "differ"}, ${countText(same)} ${same === 1 ? "is" : "are"} the same.`}
      </p>
      {changes.length > 0 && <ChangedFiles changes={changes} />}
    </>
  );
}

/** Lines shown at most; more would be slow to lay out. */
const linesShown = 500;

const signs = { added: "+", removed: "−", changed: "≠", unknown: "?" };
const words = {
  added: "added",
  removed: "removed",
  changed: "changed",
  unknown: "same size, no checksum to compare",
};

function ChangedFiles({ changes }: { changes: readonly FileChange[] }) {
  return (
    <>
      <ul class="changed-files">
        {changes.slice(0, linesShown).map(({ kind, name, before, after }) => (
          <li key={name} class={kind}>
            <span aria-hidden="true">{signs[kind]}</span>
            <span class="word">{name}</span>
            <span>{words[kind]}</span>
            <span class="count">
              {[before, after]
                .filter((bytes) => bytes !== undefined)
                .map(bytesText)
                .join(" → ")}
            </span>
          </li>
        ))}
      </ul>
      {changes.length > linesShown && (
        <p class="count">
          Showing the first {countText(linesShown)} of {countText(changes.length)} files.
        </p>
      )}
    </>
  );
}
