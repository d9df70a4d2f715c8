import type { ArtifactFolder, ArtifactListReply, ListedArtifact } from "@lossless/client";
import type { ComponentChildren } from "preact";
import type { PageLocation } from "../../location.ts";
import { artifactAddress, folderAddress } from "../../parts/artifact-address.ts";
import { bytesText, countedText, countText, durationText, timeText } from "../../parts/words.ts";

interface Props {
  reply: ArtifactListReply;
  under: string;
  sort: "name" | "newest";
  location: PageLocation;
}

/** Folders and artifacts of a page. */
export function ArtifactTable({ reply: { folders, artifacts }, under, sort, location }: Props) {
  const by = (next: Props["sort"]) =>
    location.change({ sort: next === "name" ? undefined : next, after: undefined }, true);
  return (
    <div class="artifact-table" tabIndex={0} role="region" aria-label="Artifacts">
      <table>
        <thead>
          <tr>
            <Head
              name="name"
              isSorted={sort === "name"}
              direction="ascending"
              onSort={() => by("name")}
            />
            <th scope="col" class="number">
              versions
            </th>
            <th scope="col" class="number">
              bytes
            </th>
            <th scope="col">latest</th>
            <Head
              name="last commit"
              isSorted={sort === "newest"}
              direction="descending"
              onSort={() => by("newest")}
            />
            <th scope="col">stored at</th>
            <th scope="col">written by</th>
          </tr>
        </thead>
        <tbody>
          {folders.map((folder) => (
            <FolderRow key={folder.path} folder={folder} under={under} />
          ))}
          {artifacts.map((one) => (
            <ArtifactRow key={one.artifact} artifact={one} under={under} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface HeadProps {
  name: string;
  isSorted: boolean;
  direction: "ascending" | "descending";
  onSort: () => void;
}

function Head({ name, isSorted, direction, onSort }: HeadProps) {
  return (
    <th scope="col" aria-sort={isSorted ? direction : "none"}>
      <button type="button" class="sort" onClick={onSort}>
        {name}{" "}
        <span aria-hidden="true">{!isSorted ? "" : direction === "ascending" ? "▴" : "▾"}</span>
      </button>
    </th>
  );
}

function FolderRow({ folder, under }: { folder: ArtifactFolder; under: string }) {
  const { path, artifacts, versions, bytes, lastCommitAtMs } = folder;
  return (
    <tr>
      <Name title={path}>
        <a href={folderAddress(path)}>
          <span aria-hidden="true">▸ </span>
          {path.slice(under.length)}
        </a>{" "}
        <span class="count">{countedText(artifacts, "artifact")}</span>
      </Name>
      <td class="number">{countText(versions)}</td>
      <td class="number">{bytesText(bytes)}</td>
      <td />
      <Age atMs={lastCommitAtMs} />
      <td />
      <td />
    </tr>
  );
}

function ArtifactRow({ artifact: one, under }: { artifact: ListedArtifact; under: string }) {
  const { artifact, versions, bytes, latest, lastCommitAtMs, location, source } = one;
  return (
    <tr>
      <Name title={artifact}>
        <a href={artifactAddress(artifact)}>{artifact.slice(under.length)}</a>
      </Name>
      <td class="number">{countText(versions)}</td>
      <td class="number">{bytesText(bytes)}</td>
      <td title={latest ?? undefined}>
        {latest === null ? (
          <span class="count">none yet</span>
        ) : (
          <a href={artifactAddress(artifact, { version: latest })}>{latest}</a>
        )}
      </td>
      <Age atMs={lastCommitAtMs} />
      <td title={location === null ? undefined : `${location.cloud} ${location.region}`}>
        {location?.name}
      </td>
      <td title={source ?? undefined}>{source}</td>
    </tr>
  );
}

function Name({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <th scope="row" title={title}>
      {children}
    </th>
  );
}

function Age({ atMs }: { atMs: number | null }) {
  if (atMs === null) return <td />;
  return (
    <td>
      <time dateTime={new Date(atMs).toISOString()} title={timeText(atMs)}>
        {durationText(Date.now() - atMs)} ago
      </time>
    </td>
  );
}
