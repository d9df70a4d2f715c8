import type { ExperimentArtifactsReply } from "@lossless/client";
import { useMemo, useState } from "preact/hooks";
import { download, versionFiles } from "../pages/artifact/file-source.ts";
import { Files } from "../pages/artifact/files.tsx";
import { useRead } from "../parts/use-read.ts";
import { bytesText, countedText, messageOf } from "../parts/words.ts";
import type { Service } from "../signed-in.ts";

type Version = ExperimentArtifactsReply["versions"][number];

/** Versions whose files guests save here: the pages of artifacts are not for them. */
export function GuestVersions({
  service,
  versions,
}: {
  service: Service;
  versions: readonly Version[];
}) {
  if (versions.length === 0) return <p class="waiting">No artifacts.</p>;
  return (
    <>
      {versions.map((one) => (
        <OneVersion key={`${one.artifact} ${one.version}`} service={service} version={one} />
      ))}
    </>
  );
}

function OneVersion({
  service,
  version: { artifact, version, bytes, files },
}: {
  service: Service;
  version: Version;
}) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <bdi>{artifact}</bdi> <bdi>{version}</bdi>{" "}
        <span class="count">
          {bytesText(bytes)} in {countedText(files, "file")}
        </span>
      </summary>
      {isOpen && <VersionFiles {...{ service, artifact, version }} />}
    </details>
  );
}

interface FilesProps {
  service: Service;
  artifact: string;
  version: string;
}

function VersionFiles({ service, artifact, version }: FilesProps) {
  const source = useMemo(() => versionFiles(service, { artifact, version }), [artifact, version]);
  const { found, problem } = useRead(
    (signal) => service.client.artifacts.readVersion(artifact, version, { signal }),
    [artifact, version],
  );
  const [failure, setFailure] = useState<string>();
  const save = (name: string) =>
    void download(source, name).then(
      () => setFailure(undefined),
      (error: unknown) => setFailure(messageOf(error)),
    );
  const said = failure ?? problem;
  return (
    <>
      {said !== undefined && <p role="alert">{said}</p>}
      {found !== undefined && (
        <Files files={found.files} chosen={undefined} onChoose={save} source={source} />
      )}
    </>
  );
}
