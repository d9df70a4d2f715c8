import type { AnnotationsResultData, ExperimentRecord } from "@lossless/client";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
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
  const seen = useRef({ revision: -1, isRunning: true });
  const look = async (signal: AbortSignal) => {
    try {
      const { experiments } = await service.client.revisions([id]);
      const found = experiments[0];
      if (found === undefined) throw new Error("There is no such experiment in this organization.");
      if (found.revision !== seen.current.revision) {
        const next = await service.client.experiment({ experimentId: id }, signal);
        seen.current = { revision: found.revision, isRunning: next.status === "running" };
        setRecord(next);
        setRevisions(new Map(found.series.map((one) => [one.seriesName, one.revision])));
        setRevision(found.revision);
      }
      setProblem(undefined);
    } catch (error) {
      if (!signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
      return endedEveryMs;
    }
    return seen.current.isRunning ? runningEveryMs : endedEveryMs;
  };
  usePoll(look, [id]);
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

/** Times of a running experiment are told anew so often. */
const agesEveryMs = 5_000;

function Head({ record, problem }: { record: ExperimentRecord; problem: string | undefined }) {
  const { slug, status, description, error, createdAtMs, statusAtMs } = record;
  const [, setTick] = useState(0);
  useEffect(() => {
    if (status !== "running") return;
    const timer = setInterval(() => setTick((tick) => tick + 1), agesEveryMs);
    return () => clearInterval(timer);
  }, [status]);
  const end = status === "running" ? Date.now() : statusAtMs;
  return (
    <header class="head">
      <h1>{slug}</h1>
      <p class="facts">
        <span class={`status ${status}`}>{status}</span>
        <span>began {timeText(record.startedAtMs ?? createdAtMs)}</span>
        <span>
          {status === "running" ? "for" : "took"}{" "}
          {durationText(end - (record.startedAtMs ?? createdAtMs))}
        </span>
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

const annotationsShown = 1_000;
/** Annotations are read whole, so not as often as a running experiment changes. */
const annotationsEveryMs = 3_000;

function Annotations({
  id,
  revision,
  service,
}: Pick<ChartsProps, "id" | "service"> & { revision: number }) {
  const [found, setFound] = useState<AnnotationsResultData>();
  const [problem, setProblem] = useState<string>();
  const asked = useRef({ revision: -1 });
  const look = async (signal: AbortSignal) => {
    if (asked.current.revision === latest.current) return annotationsEveryMs;
    const wanted = latest.current;
    try {
      setFound(await service.client.annotations({ experimentId: id }, signal));
      setProblem(undefined);
      asked.current.revision = wanted;
    } catch (error) {
      if (!signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
    }
    return annotationsEveryMs;
  };
  const latest = useRef(revision);
  latest.current = revision;
  usePoll(look, [id]);
  if (found === undefined) return <p class="waiting">{problem ?? "…"}</p>;
  if (found.annotations.length === 0) return <p class="waiting">No annotations.</p>;
  return (
    <>
      {problem !== undefined && <p role="alert">not up to date: {problem}</p>}
      {(found.truncated || found.annotations.length > annotationsShown) && (
        <p class="count">
          The newest {countText(Math.min(annotationsShown, found.annotations.length))} of{" "}
          {found.truncated ? "more than " : ""}
          {countText(found.annotations.length)}.
        </p>
      )}
      <ol class="annotations">
        {found.annotations
          .slice(0, annotationsShown)
          .map(({ annotationId, annotation, meta, createdAtMs }) => (
            <li key={annotationId}>
              <time>{timeText(createdAtMs)}</time>
              <span>{annotation}</span>
              {Object.keys(meta).length > 0 && <code>{JSON.stringify(meta)}</code>}
            </li>
          ))}
      </ol>
    </>
  );
}
