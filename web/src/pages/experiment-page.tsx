import type { AnnotationsResultData, ExperimentRecord } from "@lossless/client";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { PageProps } from "../page.ts";
import { Chart, type ChartView } from "../chart/chart.tsx";
import { usePoll } from "../parts/poll.ts";
import { countText, durationText, timeText } from "../parts/words.ts";
import { sectionsOf } from "./sections.ts";

interface Props extends PageProps {
  id: string;
}

/** Every second a running experiment is asked whether it has more; another one now and then. */
const runningEveryMs = 1_000;
const endedEveryMs = 15_000;

/** `/experiments/{experimentId}` */
export function ExperimentPage({ id, service, location }: Props) {
  const [record, setRecord] = useState<ExperimentRecord>();
  const [revisions, setRevisions] = useState<ReadonlyMap<string, number>>(new Map());
  const [revision, setRevision] = useState(-1);
  const [problem, setProblem] = useState<string>();
  const look = async (signal: AbortSignal) => {
    try {
      const { experiments } = await service.client.revisions([id]);
      if (signal.aborted) return;
      const found = experiments[0];
      if (found === undefined) throw new Error("There is no such experiment in this organization.");
      setProblem(undefined);
      if (found.revision === revision) return;
      setRecord(await service.client.experiment({ experimentId: id }, signal));
      setRevisions(new Map(found.series.map((one) => [one.seriesName, one.revision])));
      setRevision(found.revision);
    } catch (error) {
      if (!signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  usePoll(look, record?.status === "running" ? runningEveryMs : endedEveryMs, [id, revision]);
  useEffect(() => {
    document.title = `${record?.slug ?? "Experiment"} · Lossless`;
  }, [record?.slug]);
  if (record === undefined) return <p class="waiting">{problem ?? "Reading the experiment …"}</p>;
  const tab = location.parameter("tab") ?? "charts";
  return (
    <main class="experiment">
      <Head record={record} problem={problem} />
      <nav class="tabs" aria-label="Parts of the experiment">
        {["charts", "meta", "annotations"].map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={tab === each}
            onClick={() => location.change({ tab: each === "charts" ? undefined : each }, true)}
          >
            {each}
          </button>
        ))}
      </nav>
      {tab === "charts" && (
        <Charts id={id} revisions={revisions} service={service} location={location} />
      )}
      {tab === "meta" && <pre class="meta">{JSON.stringify(record.meta, undefined, 2)}</pre>}
      {tab === "annotations" && <Annotations id={id} revision={revision} service={service} />}
    </main>
  );
}

function Head({ record, problem }: { record: ExperimentRecord; problem: string | undefined }) {
  const { slug, status, description, error, createdAtMs, statusAtMs, updatedAtMs } = record;
  const end = status === "running" ? Date.now() : statusAtMs;
  return (
    <header class="head">
      <h1>{slug}</h1>
      <p class="facts">
        <span class={`status ${status}`}>{status}</span>
        <span>began {timeText(record.startedAtMs ?? createdAtMs)}</span>
        <span>took {durationText(end - (record.startedAtMs ?? createdAtMs))}</span>
        <span>updated {durationText(Date.now() - updatedAtMs)} ago</span>
        {problem !== undefined && <span role="alert">not up to date: {problem}</span>}
      </p>
      {description !== "" && <p>{description}</p>}
      {error !== null && <pre class="error">{error}</pre>}
    </header>
  );
}

interface ChartsProps extends PageProps {
  id: string;
  revisions: ReadonlyMap<string, number>;
}

function Charts({ id, revisions, service, location }: ChartsProps) {
  const wanted = location.parameter("m") ?? "";
  const view = viewOf(location);
  const sections = useMemo(() => sectionsOf([...revisions.keys()], wanted), [revisions, wanted]);
  const zoom = (range: { start: number; end: number } | undefined) =>
    location.change({ r: range === undefined ? undefined : `${range.start}~${range.end}` }, true);
  if (revisions.size === 0) return <p class="waiting">No points are recorded yet.</p>;
  return (
    <>
      <div class="query">
        <input
          type="search"
          aria-label="Search series"
          placeholder={`Search ${countText(revisions.size)} series`}
          value={wanted}
          onInput={(event) => location.change({ m: event.currentTarget.value })}
        />
        <span class="choices">
          <button
            type="button"
            aria-pressed={view.xAxis === "timestamp"}
            onClick={() => {
              const x = view.xAxis === "step" ? "time" : undefined;
              location.change({ x, r: undefined }, true);
            }}
          >
            time axis
          </button>
          <button
            type="button"
            aria-pressed={view.isLog}
            onClick={() => location.change({ y: view.isLog ? undefined : "log" }, true)}
          >
            log
          </button>
          {view.range !== undefined && (
            <button type="button" onClick={() => zoom(undefined)}>
              whole range
            </button>
          )}
        </span>
      </div>
      {sections.map(({ name, series }) => (
        <details key={name} open={name !== "system"}>
          <summary>
            {name} <span class="count">{series.length}</span>
          </summary>
          <div class="charts">
            {series.map((seriesName) => (
              <Chart
                key={seriesName}
                service={service}
                experimentId={id}
                seriesName={seriesName}
                revision={revisions.get(seriesName)!}
                view={view}
                onZoom={zoom}
              />
            ))}
          </div>
        </details>
      ))}
      {sections.length === 0 && <p class="waiting">No series has such a name.</p>}
    </>
  );
}

function viewOf(location: PageProps["location"]): ChartView {
  const range = /^(\d{1,16})~(\d{1,16})$/.exec(location.parameter("r") ?? "");
  return {
    xAxis: location.parameter("x") === "time" ? "timestamp" : "step",
    range: range === null ? undefined : { start: Number(range[1]), end: Number(range[2]) },
    isLog: location.parameter("y") === "log",
  };
}

function Annotations({
  id,
  revision,
  service,
}: Pick<ChartsProps, "id" | "service"> & { revision: number }) {
  const [found, setFound] = useState<AnnotationsResultData>();
  useEffect(() => {
    void service.client.annotations({ experimentId: id }).then(setFound);
  }, [id, revision]);
  if (found === undefined) return <p class="waiting">…</p>;
  if (found.annotations.length === 0) return <p class="waiting">No annotations.</p>;
  return (
    <ol class="annotations">
      {found.annotations.slice(0, 1_000).map(({ annotationId, annotation, meta, createdAtMs }) => (
        <li key={annotationId}>
          <time>{timeText(createdAtMs)}</time>
          <span>{annotation}</span>
          {Object.keys(meta).length > 0 && <code>{JSON.stringify(meta)}</code>}
        </li>
      ))}
    </ol>
  );
}
