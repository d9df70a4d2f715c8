import type { ArtifactReply, ViewedVersion } from "@lossless/client";
import { useState } from "preact/hooks";
import { ToTrash } from "../../parts/to-trash.tsx";
import { bytesText, countedText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import { trashAllVersions } from "./trash-versions.ts";

interface Props {
  service: Service;
  artifact: string;
  /** Receives a sentence about what was trashed. */
  onTrashed: (said: string) => void;
}

const ofVersions =
  "Whoever was given addresses of its files goes on reading them for an hour, the artifact keeps its epoch and its notes, and the name is given to no other version.";

/** Trashes one version. */
export function TrashVersion({
  service,
  artifact,
  version: { version, files, bytes, experiment },
  onTrashed,
}: Props & { version: ViewedVersion }) {
  const [isAsked, setIsAsked] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setIsAsked(true)}>
        move to trash…
      </button>
      {isAsked && (
        <ToTrash
          service={service}
          title={`Move the version ${version} of ${artifact} to the trash?`}
          onConfirm={async () => {
            await service.client.trash.versions(artifact, [version]);
            onTrashed(`The version ${version} is moved to the trash.`);
          }}
          onClose={() => setIsAsked(false)}
        >
          <p>
            {countedText(files, "file")}, {bytesText(bytes)}, leave every list and read
            {experiment !== null && (
              <>, also that of {experiment.name ?? experiment.slug}, which wrote it</>
            )}
            . {ofVersions}
          </p>
        </ToTrash>
      )}
    </>
  );
}

/** Trashes all versions of an artifact. */
export function TrashArtifact({
  service,
  found: { artifact, versionsTotal, bytes },
  onTrashed,
}: Omit<Props, "artifact"> & { found: ArtifactReply }) {
  const [isAsked, setIsAsked] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setIsAsked(true)}>
        move all to trash…
      </button>
      {isAsked && (
        <ToTrash
          service={service}
          title={`Move all of ${artifact} to the trash?`}
          onConfirm={async () => {
            const count = await trashAllVersions(service, artifact);
            onTrashed(`${countedText(count, "version")} moved to the trash.`);
          }}
          onClose={() => setIsAsked(false)}
        >
          <p>
            {countedText(versionsTotal, "version")}, {bytesText(bytes)}, leave every list and read,
            and so does the artifact. {ofVersions}
          </p>
        </ToTrash>
      )}
    </>
  );
}
