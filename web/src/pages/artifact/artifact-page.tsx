import type { ArtifactReply } from "@lossless/client";
import { useEffect } from "preact/hooks";
import type { PageProps } from "../../page.ts";
import { Copy } from "../../parts/copy.tsx";
import { Crumbs } from "../../parts/crumbs.tsx";
import { bytesText, countedText, countText, durationText, timeText } from "../../parts/words.ts";
import { Notes } from "./notes.tsx";
import { Uploads } from "./uploads.tsx";
import { useArtifact } from "./use-artifact.ts";
import { VersionList } from "./version-list.tsx";
import { VersionPart } from "./version-part.tsx";

/** `/artifact?name=&version=&file=&with=` */
export function ArtifactPage(props: PageProps) {
  const name = props.location.parameter("name") ?? "";
  return <Artifact key={name} name={name} {...props} />;
}

function Artifact({ name, service, location }: PageProps & { name: string }) {
  const { found, problem, known, readOlder } = useArtifact(service, name);
  useEffect(() => {
    document.title = `${name === "" ? "Artifact" : name} · Lossless`;
  }, [name]);
  if (found === undefined || known === undefined) {
    return (
      <main class="artifact">
        <Crumbs path={name} />
        <p class="waiting">{problem ?? "Reading the artifact …"}</p>
      </main>
    );
  }
  const wanted = location.parameter("version");
  const version = wanted === undefined || wanted === "latest" ? found.latest : wanted;
  return (
    <main class="artifact">
      <Crumbs path={name} />
      <header>
        <h1>{name}</h1>
        <Copy text={name} label="copy name" />
      </header>
      <Facts artifact={found} problem={problem} />
      <Uploads artifact={found} />
      <div class="parts">
        <VersionList
          artifact={name}
          known={known}
          total={found.versionsTotal}
          shown={version}
          readOlder={readOlder}
        />
        {version === null ? (
          <p class="waiting">Nothing was committed yet.</p>
        ) : (
          <VersionPart
            key={version}
            artifact={name}
            version={version}
            listed={known.versions}
            service={service}
            location={location}
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
      <span title="Each writer that opens the artifact gets the next one; only the newest may commit.">
        epoch {countText(epoch)}
        {openedAtMs !== null && (
          <>
            {" "}
            <time dateTime={new Date(openedAtMs).toISOString()} title={timeText(openedAtMs)}>
              since {durationText(Date.now() - openedAtMs)}
            </time>
          </>
        )}
        {openedBy !== null && openedBy !== "" && <>, opened by {openedBy}</>}
      </span>
      {problem !== undefined && <span role="alert">not up to date: {problem}</span>}
    </p>
  );
}
