import type { FolderTree } from "@lossless/client";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { PageProps } from "../page.ts";
import { usePoll } from "../parts/poll.ts";
import { countText, durationText, timeText } from "../parts/words.ts";
import { useVisibleRows } from "../parts/visible-rows.ts";
import { FirstPoint } from "./first-point.tsx";
import { FolderTreeNav } from "./folder-tree-nav.tsx";
import { foldersBelow, rowsOf, selected, type Row, type SortKey } from "./rows.ts";

const statuses = ["running", "done", "error"] as const;
const heads: readonly [SortKey, string][] = [
  ["slug", "experiment"],
  ["status", "status"],
  ["folder", "folder"],
  ["created", "created"],
  ["updated", "updated"],
];
/** A tree of so many experiments is read every few seconds; larger ones now and then. */
const smallTree = 2_000;

/** `/experiments`: all of them, with the folders at the left. */
export function ExperimentsPage({ service, location }: PageProps) {
  const [tree, setTree] = useState<FolderTree>();
  const [problem, setProblem] = useState<string>();
  const rows = useMemo(() => (tree === undefined ? [] : rowsOf(tree)), [tree]);
  const look = async () => {
    try {
      const found = await service.client.folders.tree();
      setTree(found);
      setProblem(undefined);
      return rowsOf(found).length > smallTree ? 30_000 : 3_000;
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      return 10_000;
    }
  };
  usePoll(look, [service]);
  useEffect(() => {
    document.title = "Experiments · Lossless";
  }, []);
  if (tree === undefined) return <p class="waiting">{problem ?? "Reading experiments …"}</p>;
  if (rows.length === 0 && tree.folders.length === 0) return <FirstPoint service={service} />;
  return (
    <main class="experiments">
      <FolderTreeNav tree={tree} total={rows.length} location={location} />
      <Table tree={tree} rows={rows} location={location} problem={problem} />
    </main>
  );
}

interface TableProps extends Pick<PageProps, "location"> {
  tree: FolderTree;
  rows: Row[];
  problem: string | undefined;
}

function Table({ tree, rows, location, problem }: TableProps) {
  const folder = location.parameter("folder");
  const status = location.parameter("status");
  const text = location.parameter("q") ?? "";
  const sort = location.parameter("sort") ?? "-updated";
  const found = useMemo(() => {
    const folders = folder === undefined ? undefined : foldersBelow(tree, folder);
    const key = heads.find(([name]) => sort.endsWith(name))?.[0] ?? "updated";
    return selected(rows, { folders, status, text, sort: key, isDescending: sort.startsWith("-") });
  }, [tree, rows, folder, status, text, sort]);
  const { container, first, last, before, after } = useVisibleRows(found.length, rowPixels);
  return (
    <section aria-label="Experiments">
      <div class="query">
        <input
          type="search"
          aria-label="Search in names, folders and descriptions"
          placeholder="Search names, folders, descriptions"
          value={text}
          onInput={(event) => location.change({ q: event.currentTarget.value })}
        />
        <span class="choices" role="group" aria-label="Status">
          {[undefined, ...statuses].map((each) => (
            <button
              type="button"
              aria-pressed={status === each}
              onClick={() => location.change({ status: each }, true)}
            >
              {each ?? "all"}
            </button>
          ))}
        </span>
        <output>
          {countText(found.length)} of {countText(rows.length)}
          {problem === undefined ? "" : ` · not up to date: ${problem}`}
        </output>
      </div>
      <div class="table" ref={container}>
        <table aria-rowcount={found.length + 1}>
          <thead>
            <tr>
              {heads.map(([key, title]) => (
                <Head key={key} name={key} title={title} sort={sort} location={location} />
              ))}
            </tr>
          </thead>
          <tbody>
            {before > 0 && <tr style={{ height: `${before}px` }} aria-hidden="true" />}
            {found.slice(first, last).map((row, at) => (
              <ExperimentRow key={row.experimentId} row={row} index={first + at + 2} />
            ))}
            {after > 0 && <tr style={{ height: `${after}px` }} aria-hidden="true" />}
          </tbody>
        </table>
        {found.length === 0 && <p class="waiting">Nothing is found with this search.</p>}
      </div>
    </section>
  );
}

const rowPixels = 36;

interface HeadProps extends Pick<PageProps, "location"> {
  name: SortKey;
  title: string;
  sort: string;
}

/** The first click sorts what is newest first, or names from A; the second turns it round. */
function Head({ name, title, sort, location }: HeadProps) {
  const isTime = name === "created" || name === "updated";
  const isSorted = sort === name || sort === `-${name}`;
  const isDescending = sort.startsWith("-");
  const next = isSorted ? !isDescending : isTime;
  return (
    <th scope="col" aria-sort={isSorted ? (isDescending ? "descending" : "ascending") : undefined}>
      <button type="button" onClick={() => location.change({ sort: `${next ? "-" : ""}${name}` })}>
        {title}
        <span aria-hidden="true">{isSorted ? (isDescending ? " ▾" : " ▴") : ""}</span>
      </button>
    </th>
  );
}

const signs = { running: "●", done: "✓", error: "✕" } as const;

function ExperimentRow({ row, index }: { row: Row; index: number }) {
  const { experimentId, slug, description, status, folder, createdAtMs, updatedAtMs } = row;
  const now = Date.now();
  return (
    <tr aria-rowindex={index}>
      <td class="slug">
        <a href={`/experiments/${encodeURIComponent(experimentId)}`} title={description || slug}>
          {slug}
        </a>
      </td>
      <td class={`status ${status}`}>
        <span aria-hidden="true">{signs[status]}</span> {status}
      </td>
      <td>{folder}</td>
      <td title={timeText(createdAtMs)}>{durationText(now - createdAtMs)}</td>
      <td title={timeText(updatedAtMs)}>{durationText(now - updatedAtMs)}</td>
    </tr>
  );
}
