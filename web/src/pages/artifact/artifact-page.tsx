import type { ArtifactReply } from "@lossless/client";
import { useEffect, useState } from "preact/hooks";
import type { PageProps } from "../../page.ts";
import { Copy } from "../../parts/copy.tsx";
import { Crumbs } from "../../parts/crumbs.tsx";
import { bytesText, countedText, countText, durationText, timeText } from "../../parts/words.ts";
import { mayWrite } from "../../rights.ts";
import { LostAliases, versionMeant } from "./aliases.tsx";
import { Notes } from "./notes.tsx";
import { TrashArtifact } from "./trash-buttons.tsx";
import { Uploads } from "./uploads.tsx";
import { useArtifact } from "./use-artifact.ts";
import { VersionList } from "./version-list.tsx";
import { VersionPart } from "./version-part.tsx";

/** `/artifact?name=&version=&file=&with=` */
export function ArtifactPage(props: PageProps) {
  const { location } = props;
  const name = location.parameter("name") ?? "";
  const [trashed, setTrashed] = useState({ name, times: 0, said: "" });
  const isSame = trashed.name === name;
  const times = isSame ? trashed.times : 0;
  const onTrashed = (said: string) => {
    setTrashed({ name, times: times + 1, said });
    location.change({ version: undefined, file: undefined, with: undefined });
  };
  // Data read earlier still has what was trashed, so the page starts anew.
  return (
    <Artifact
      key={`${times} ${name}`}
      name={name}
      said={isSame ? trashed.said : ""}
      onTrashed={onTrashed}
      {...props}
    />
  );
}

interface Props extends PageProps {
  name: string;
  /** A sentence about what was just trashed. */
  said: string;
  onTrashed: (said: string) => void;
}

function Artifact({ name, said, onTrashed, service, location }: Props) {
  const { found, problem, known, readOlder } = useArtifact(service, name);
  useEffect(() => {
    document.title = `${name === "" ? "Artifact" : name} · Lossless`;
  }, [name]);
  if (found === undefined || known === undefined) {
    return (
      <main class="artifact">
        <Crumbs path={name} />
        <p class="waiting">{problem ?? "Loading the artifact …"}</p>
      </main>
    );
  }
  const version = versionMeant(location.parameter("version"), found);
  return (
    <main class="artifact">
      <Crumbs path={name} />
      <header>
        <h1>{name}</h1>
        <Copy text={name} label="copy name" />
        {found.versionsTotal > 0 && mayWrite(service) && (
          <TrashArtifact {...{ service, found, onTrashed }} />
        )}
      </header>
      {said !== "" && (
        <p role="status">
          {said} You can restore it from the <a href="/organization/trash">trash</a>.
        </p>
      )}
      <Facts artifact={found} problem={problem} />
      <LostAliases aliases={found.aliases} />
      <Uploads artifact={found} service={service} />
      <div class="parts">
        <VersionList
          artifact={name}
          known={known}
          aliases={found.aliases}
          total={found.versionsTotal}
          shown={version}
          readOlder={readOlder}
        />
        {version === null ? (
          <p class="waiting">
            This artifact has no versions: none was committed yet, or all were deleted.
          </p>
        ) : (
          <VersionPart
            key={version}
            artifact={name}
            version={version}
            listed={known.versions}
            aliases={found.aliases}
            service={service}
            location={location}
            onTrashed={onTrashed}
          />
        )}
      </div>
      <Notes artifact={name} notes={found.notes} service={service} />
    </main>
  );
}

function Facts({ artifact, problem }: { artifact: ArtifactReply; problem: string | undefined }) {
  const { versionsTotal, bytes, epoch, openedAtMs, openedBy } = artifact;
  return (
    <p class="facts">
      <span>{countedText(versionsTotal, "version")}</span>
      <span>{bytesText(bytes)}</span>
      <span title="Each writer that opens the artifact gets the next epoch. Only the newest one can commit.">
        epoch {countText(epoch)}
        {openedAtMs !== null && (
          <>
            ,{" "}
            <time dateTime={new Date(openedAtMs).toISOString()} title={timeText(openedAtMs)}>
              opened {durationText(Date.now() - openedAtMs)} ago
            </time>
          </>
        )}
        {openedBy !== null && openedBy !== "" && <> by {openedBy}</>}
      </span>
      {problem !== undefined && <span role="alert">not up to date: {problem}</span>}
    </p>
  );
}
