import type { OverviewBody, OverviewReply, ViewPointsReply } from "@lossless/client";
import { useEffect, useState } from "preact/hooks";
import { countedText, countText, messageOf, timeText } from "../parts/words.ts";
import type { Service } from "../signed-in.ts";
import { lineName, metaText, seriesIn, type Member } from "./lines/looks.ts";

interface Props {
  service: Service;
  request: OverviewBody;
  overview: OverviewReply;
  members: readonly Member[];
  name: string;
  onClose: () => void;
}

/**
 * Rows of each line, and lines, shown at most: more would be slow to lay out, and the file has all.
 */
const rowsEachLine = 500;
const linesShown = 4;

/** The raw points in a chart's range. */
export function PointsTable({ service, request, overview, members, name, onClose }: Props) {
  const [found, setFound] = useState<ViewPointsReply>();
  const [problem, setProblem] = useState<string>();
  const { series, xAxis, xSeriesName } = request;
  const { start, end } = overview;
  const asked = JSON.stringify([series, xAxis, xSeriesName, start, end]);
  useEffect(() => {
    const stopped = new AbortController();
    const read = async () => {
      const axis = { xAxis, ...(xSeriesName === undefined ? {} : { xSeriesName }) };
      const most = { pointsMax: rowsEachLine, partitionsMax: linesShown };
      const body = { series, ...axis, start, end, ...most };
      setFound(await service.client.views.points(body, stopped.signal));
      setProblem(undefined);
    };
    read().catch((error: unknown) => {
      if (!stopped.signal.aborted) setProblem(messageOf(error));
    });
    return () => stopped.abort();
  }, [service, asked]);
  return (
    <section class="numbers" aria-label={`Numbers of ${name}`}>
      <button type="button" onClick={onClose}>
        close
      </button>
      {problem !== undefined && <p role="alert">{problem}</p>}
      {found === undefined ? (
        <p>…</p>
      ) : (
        <Rows found={found} members={members} points={overview.points} />
      )}
    </section>
  );
}

interface RowsProps extends Pick<Props, "members"> {
  found: ViewPointsReply;
  points: number;
}

function Rows({ found, members, points }: RowsProps) {
  const { series, xAxis, xSeriesName } = found;
  const hasOwnX = xAxis !== "step" && xAxis !== "timestamp";
  const isOfSeveral = seriesIn(series).length > 1;
  const shown = series.reduce((sum, { x }) => sum + x.length, 0);
  return (
    <>
      <p class="count">
        {shown < points
          ? `Showing the first ${countText(shown)} of ${countText(points)} points. The CSV file has all of them.`
          : `${countedText(shown, "point")}.`}
      </p>
      <div class="table" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {series.length > 1 && (
                <th scope="col">
                  {isOfSeveral ? "series" : members.length > 1 ? "experiment" : "partition"}
                </th>
              )}
              {hasOwnX && <th scope="col">{xSeriesName ?? xAxis}</th>}
              <th scope="col">step</th>
              <th scope="col">time</th>
              <th scope="col">value</th>
            </tr>
          </thead>
          <tbody>
            {series.flatMap(({ x, step, timestampMs, value, ...line }) =>
              value.map((each, at) => (
                <tr
                  key={[line.experimentId, line.seriesName, metaText(line.metadata), at].join(" ")}
                >
                  {series.length > 1 && <td>{lineName(line, members, isOfSeveral)}</td>}
                  {hasOwnX && <td>{x[at]}</td>}
                  <td>{countText(step[at])}</td>
                  <td>{timeText(timestampMs[at])}</td>
                  <td>{each}</td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </div>
    </>
  );
}
