import type { VersionAlias, VersionRecord, ViewedVersion } from "@lossless/client";
import { useMemo } from "preact/hooks";
import type { PageProps } from "../../page.ts";
import { useRead } from "../../parts/use-read.ts";
import { bytesText, countedText, countText, timeText } from "../../parts/words.ts";
import { mayWrite } from "../../rights.ts";
import { AliasChips, MoveAlias } from "./aliases.tsx";
import { Changes } from "./changes.tsx";
import { type Checksums, checksumsIn } from "./checksums.ts";
import { Commands } from "./commands.tsx";
import { versionFiles } from "./file-source.ts";
import { Files } from "./files.tsx";
import { experimentAddress } from "./experiment-address.ts";
import { LookedAt } from "./looked-at.tsx";
import { Meta } from "./meta.tsx";
import { readAllChecksums } from "./read-checksums.ts";
import { VersionLineageFacts } from "./version-lineage.tsx";
import { TrashVersion } from "./trash-buttons.tsx";

interface Props extends PageProps {
  artifact: string;
  version: string;
  /** Versions in the list, usually including this one. */
  listed: readonly ViewedVersion[];
  aliases: readonly VersionAlias[];
  onTrashed: (said: string) => void;
}

/** One version: its writer, ways to fetch it, its files and its meta. */
export function VersionPart(props: Props) {
  const { artifact, version, listed, aliases, service, location, onTrashed } = props;
  const { client } = service;
  const { found, problem } = useRead(
    async (stopped) => {
      const { versions } = await client.views.artifact(artifact, { version }, stopped);
      const record = await client.artifacts.readVersion(artifact, version, { signal: stopped });
      return { viewed: versions[0], record };
    },
    [artifact, version],
  );
  const listedOne = listed.find((one) => one.version === version);
  const viewed = found?.viewed ?? listedOne;
  const record = found?.record;
  const file = location.parameter("file");
  return (
    <article class="artifact-version" aria-label={`Version ${version}`}>
      <header>
        <h2>{version}</h2>
        <AliasChips aliases={aliases} version={version} />
        {mayWrite(service) && <MoveAlias {...{ service, artifact, version, aliases }} />}
        {viewed !== undefined && mayWrite(service) && (
          <TrashVersion {...{ service, artifact, version: viewed, onTrashed }} />
        )}
      </header>
      {viewed !== undefined && <WriterFacts viewed={viewed} />}
      <VersionLineageFacts {...{ service, artifact, version }} />
      {problem !== undefined && <p role="alert">{problem}</p>}
      {viewed !== undefined && <Commands artifact={artifact} version={version} />}
      {record === undefined ? (
        problem === undefined && <p class="waiting">Loading the files …</p>
      ) : (
        <>
          <FilesAndLook {...{ artifact, version, record, file, service, location }} />
          <Changes {...{ artifact, record, listed, service, location }} />
          <Meta meta={record.meta} />
        </>
      )}
    </article>
  );
}

interface FilesProps extends PageProps {
  artifact: string;
  version: string;
  record: VersionRecord;
  file: string | undefined;
}

function FilesAndLook({ artifact, version, record, file, service, location }: FilesProps) {
  const inMeta = useMemo(() => checksumsIn(record.meta), [record]);
  const { found: checksums = inMeta } = useRead<Checksums>(
    (stopped) => readAllChecksums(service, record, stopped),
    [artifact, version],
  );
  const chosen = record.files.find(({ name }) => name === file);
  const source = useMemo(() => versionFiles(service, { artifact, version }), [artifact, version]);
  const choose = (name: string | undefined) => location.change({ file: name }, file === undefined);
  return (
    <section class="files" aria-label="Files">
      <Files files={record.files} chosen={file} onChoose={choose} source={source} />
      {chosen !== undefined && (
        <LookedAt
          key={chosen.name}
          source={source}
          file={chosen.name}
          sizeBytes={chosen.size}
          checksum={checksums.get(chosen.name)}
          onClose={() => choose(undefined)}
        />
      )}
      {file !== undefined && chosen === undefined && (
        <p role="alert">This version has no file {JSON.stringify(file)}.</p>
      )}
    </section>
  );
}

const matches = { region: "in the writer's region", cloud: "in the writer's cloud" };

/** A cloud and its region; one word for the built-in location. */
function placeText({ cloud, region }: { cloud: string; region: string }): string {
  return cloud === region || region === "" ? cloud : `${cloud} ${region}`;
}

function WriterFacts({ viewed }: { viewed: ViewedVersion }) {
  const { committedAtMs, bytes, files, location, writer, epoch, experiment, transfer } = viewed;
  const place = placeText(writer);
  const match =
    viewed.match === null
      ? "the fallback location, or the writer gave no cloud and region"
      : matches[viewed.match];
  return (
    <dl class="written">
      <div>
        <dt>committed</dt>
        <dd>
          <time dateTime={new Date(committedAtMs).toISOString()}>{timeText(committedAtMs)}</time>
        </dd>
      </div>
      <div>
        <dt>size</dt>
        <dd>
          {bytesText(bytes)} in {countedText(files, "file")}
        </dd>
      </div>
      <div>
        <dt>stored at</dt>
        <dd title={match}>
          {location.name} <span class="count">{placeText(location)}</span>
        </dd>
      </div>
      <div>
        <dt>written by</dt>
        <dd>
          {writer.source === "" ? "an unlabelled writer" : writer.source}{" "}
          <span class="count">
            {place === "" ? "cloud and region unknown" : place}, transfer {transfer}, epoch{" "}
            {countText(epoch)}
          </span>
        </dd>
      </div>
      {experiment !== null && (
        <div>
          <dt>experiment</dt>
          <dd>
            <a href={experimentAddress(experiment.experimentId)}>
              {experiment.name ?? experiment.slug}
            </a>
            {experiment.step !== null && (
              <>
                {" "}
                <a href={experimentAddress(experiment.experimentId, experiment.step)}>
                  at step {countText(experiment.step)}
                </a>
              </>
            )}
          </dd>
        </div>
      )}
    </dl>
  );
}
