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
  "Download addresses that readers already have keep working for up to an hour. The artifact keeps its epoch and its notes. The name of a deleted version is never used again.";

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
          title={`Move version ${version} of ${artifact} to the trash?`}
          onConfirm={async () => {
            await service.client.trash.versions(artifact, [version]);
            onTrashed(`Version ${version} was moved to the trash.`);
          }}
          onClose={() => setIsAsked(false)}
        >
          <p>
            The version ({countedText(files, "file")}, {bytesText(bytes)}) disappears from every
            list and can no longer be read
            {experiment !== null && (
              <>, also on the page of {experiment.name ?? experiment.slug}, which wrote it</>
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
          title={`Move all versions of ${artifact} to the trash?`}
          onConfirm={async () => {
            const count = await trashAllVersions(service, artifact);
            onTrashed(
              `${countedText(count, "version")} ${count === 1 ? "was" : "were"} moved to the trash.`,
            );
          }}
          onClose={() => setIsAsked(false)}
        >
          <p>
            The artifact and its {countedText(versionsTotal, "version")} ({bytesText(bytes)})
            disappear from every list and can no longer be read. {ofVersions}
          </p>
        </ToTrash>
      )}
    </>
  );
}
