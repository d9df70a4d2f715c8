import type { VersionAlias, ViewedVersion } from "@lossless/client";
import { useState } from "preact/hooks";
import { artifactAddress } from "../../parts/artifact-address.ts";
import { bytesText, countedText, countText, durationText, timeText } from "../../parts/words.ts";
import { AliasChips } from "./aliases.tsx";
import type { KnownVersions } from "./known-versions.ts";

interface Props {
  artifact: string;
  known: KnownVersions;
  aliases: readonly VersionAlias[];
  total: number;
  /** The version shown beside the list. */
  shown: string | null;
  readOlder: () => Promise<void>;
}

/** Versions, newest first. */
export function VersionList({ artifact, known, aliases, total, shown, readOlder }: Props) {
  const [isReading, setIsReading] = useState(false);
  const more = async () => {
    setIsReading(true);
    await readOlder();
    setIsReading(false);
  };
  if (known.versions.length === 0) return null;
  return (
    <nav class="versions" aria-label="Versions">
      <h2>
        Versions <span class="count">{countText(total)}</span>
      </h2>
      <ol>
        {known.versions.map((version) => (
          <Version key={version.version} {...{ artifact, version, aliases, shown }} />
        ))}
      </ol>
      {known.next !== null && (
        <button type="button" disabled={isReading} onClick={() => void more()}>
          show older versions
        </button>
      )}
    </nav>
  );
}

function Version({
  artifact,
  version: { version, committedAtMs, files, bytes, experiment },
  aliases,
  shown,
}: {
  artifact: string;
  version: ViewedVersion;
  aliases: readonly VersionAlias[];
  shown: string | null;
}) {
  const step = experiment?.step;
  return (
    <li>
      <a
        href={artifactAddress(artifact, { version })}
        aria-current={version === shown ? "true" : undefined}
        title={`${version}, ${timeText(committedAtMs)}`}
      >
        <strong>{version}</strong> <AliasChips aliases={aliases} version={version} />
        <span class="count">
          {durationText(Date.now() - committedAtMs)} ago · {bytesText(bytes)} ·{" "}
          {countedText(files, "file")}
          {step != null && step !== Number(version) && ` · step ${countText(step)}`}
        </span>
      </a>
    </li>
  );
}
