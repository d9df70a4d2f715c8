import type { ArtifactListReply } from "@lossless/client";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { PageLocation } from "../../location.ts";
import type { PageProps } from "../../page.ts";
import { Crumbs } from "../../parts/crumbs.tsx";
import { useRead } from "../../parts/use-read.ts";
import { bytesText, countedText } from "../../parts/words.ts";
import { Programs } from "../programs.tsx";
import { ArtifactTable } from "./artifact-table.tsx";
import { firstPushes } from "./first-pushes.ts";
import { serviceUrl } from "../../base-path.ts";

const listedMax = 200;
/** Milliseconds between looks for new versions. */
const lookEveryMs = 5_000;
/** Milliseconds without typing before a search is sent. */
const typingMs = 200;

/** `/artifacts?under=&q=&sort=&after=` */
export function ArtifactsPage({ service, location }: PageProps) {
  const under = location.parameter("under") ?? "";
  const search = location.parameter("q") ?? "";
  const after = location.parameter("after") ?? "";
  const sort = location.parameter("sort") === "newest" ? "newest" : "name";
  const { found, problem } = useRead(
    (stopped) =>
      service.client.views.artifacts({ under, search, after, sort, limit: listedMax }, stopped),
    [under, search, after, sort],
    lookEveryMs,
  );
  useEffect(() => {
    document.title = `${under === "" ? "Artifacts" : under} · Lossless`;
  }, [under]);
  const isEmpty = found !== undefined && found.artifacts.length + found.folders.length === 0;
  if (isEmpty && under === "" && search === "" && after === "") {
    return (
      <main class="first">
        <h1>Push your first artifact</h1>
        <p>
          An artifact is a path with versions. A version is a set of files, such as a checkpoint,
          and is stored either completely or not at all. Nothing has been pushed to this
          organization yet. The list of artifacts appears here after the first push.
        </p>
        <Programs
          service={service}
          keyName="first push"
          programs={(key) => firstPushes(serviceUrl(), key)}
        />
      </main>
    );
  }
  return (
    <main class="artifacts">
      <h1 class="unseen">Artifacts</h1>
      <Crumbs path={under} />
      {under === "" && (
        <p class="to-models">
          <a href="/models">registered models</a>
        </p>
      )}
      <Search key={under} location={location} search={search} under={under} />
      {problem !== undefined && (
        <p role="alert">{found === undefined ? problem : `not up to date: ${problem}`}</p>
      )}
      <output class="unseen">{found === undefined ? "" : foundText(found)}</output>
      {found === undefined ? (
        problem === undefined && <p class="waiting">Loading the artifacts …</p>
      ) : isEmpty ? (
        <p class="waiting">
          {search === "" ? "No artifacts here." : `No path${under && ` below ${under}`} matches.`}
        </p>
      ) : (
        <>
          <ArtifactTable reply={found} under={under} sort={sort} location={location} />
          <Foot reply={found} after={after} location={location} />
        </>
      )}
    </main>
  );
}

/** Announces the result to screen readers. */
function foundText({ folders, artifacts, next }: ArtifactListReply): string {
  const more = next === null ? "" : " and more";
  return `${countedText(folders.length, "folder")}, ${countedText(artifacts.length, "artifact")}${more}`;
}

interface SearchProps {
  location: PageLocation;
  search: string;
  under: string;
}

function Search({ location, search, under }: SearchProps) {
  const [typed, setTyped] = useState(search);
  const sent = useRef(search);
  if (search !== sent.current) {
    // The search changed through the browser's history, and replaces what was typed.
    sent.current = search;
    setTyped(search);
  }
  // A layout effect: a late one might change the address of another page.
  useLayoutEffect(() => {
    if (typed === sent.current) return;
    const change = () => {
      sent.current = typed;
      location.change({ q: typed, after: undefined });
    };
    const timer = setTimeout(change, typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <div class="query">
      <input
        type="search"
        aria-label="Search paths"
        placeholder={under === "" ? "Search paths" : `Search below ${under}`}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </div>
  );
}

interface FootProps {
  reply: ArtifactListReply;
  after: string;
  location: PageLocation;
}

/** Totals of what is shown, and links to other pages. */
function Foot({ reply: { folders, artifacts, next }, after, location }: FootProps) {
  const sum = (of: "versions" | "bytes") =>
    [...folders, ...artifacts].reduce((total, entry) => total + entry[of], 0);
  const count = artifacts.length + folders.reduce((total, one) => total + one.artifacts, 0);
  return (
    <p class="list-foot">
      <span>
        {countedText(count, "artifact")}, {countedText(sum("versions"), "version")},{" "}
        {bytesText(sum("bytes"))}
        {(next !== null || after !== "") && " on this page"}
      </span>
      {after !== "" && (
        <button type="button" onClick={() => location.change({ after: undefined }, true)}>
          first page
        </button>
      )}
      {next !== null && (
        <button type="button" onClick={() => location.change({ after: next }, true)}>
          next page
        </button>
      )}
    </p>
  );
}
