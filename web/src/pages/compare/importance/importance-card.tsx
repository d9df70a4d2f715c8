import { fieldText } from "@lossless/protocol/query-field";
import { useEffect, useState } from "preact/hooks";
import { persistently } from "../../../parts/persistently.ts";
import { countText } from "../../../parts/words.ts";
import { RankChoice } from "../apart/side-choices.tsx";
import { KeyActions, KeyMenu } from "../difference/key-menu.tsx";
import { TableRows } from "../difference/table-rows.tsx";
import { useDifference } from "../difference/use-difference.ts";
import { usualMetric } from "../difference/usual-metric.ts";
import type { PanelProps } from "../panel.ts";
import { titleOf } from "../relations/plotted.ts";
import { readRelationsView, relationsParameters } from "../relations/relations-view.ts";
import { experimentsMin, rounds, type KeyImportance } from "./importance.ts";
import {
  correlationText,
  directionText,
  explainedText,
  isCertain,
  scopeText,
  shareText,
} from "./importance-text.ts";
import { mattersParameters, readMatters } from "./importance-view.ts";
import { readKeys } from "./read-rows.ts";
import { useImportance } from "./use-importance.ts";

/** Metrics to choose from at a time. */
const namesMax = 50;

/** The importance of the keys for a metric, over everything that the query finds. */
export function ImportanceCard(props: PanelProps) {
  const { service, compared, location, address } = props;
  const [text, setText] = useState("");
  const { reply, problem } = useDifference(service, compared, {
    metricText: text,
    metricsMax: namesMax,
  });
  const names = reply?.metrics.map(({ name }) => name);
  const chosen = readMatters((name) => location.parameter(name)).metric;
  const metric = chosen ?? (names && usualMetric(names));
  const keys = useKeys(service, reply);
  const field = metric && fieldText({ kind: "metric", name: metric.name, stat: metric.stat });
  const asked = address.asked!;
  const hidden = [...address.hidden].sort();
  const question =
    field === undefined || keys === undefined
      ? undefined
      : { asked, hidden, metric: field, fields: keys.fields };
  const found = useImportance(service, question);
  if (reply === undefined) return <p class="count">{problem ?? "…"}</p>;
  if (metric === undefined) return <p class="count">No metrics yet.</p>;
  return (
    <>
      <div class="choices">
        <RankChoice
          rank={metric}
          names={names ?? []}
          found={reply.metricsFound}
          hasDirection={false}
          {...{ text }}
          onText={setText}
          onRank={(next) =>
            location.change(mattersParameters({ isOpen: true, metric: next }), true)
          }
        />
      </div>
      <FoundKeys {...props} {...{ found, keysFound: keys?.found ?? 0 }} metric={field!} />
    </>
  );
}

/** Keys that may matter, read once: which of them do is computed. */
function useKeys(
  service: PanelProps["service"],
  reply: Parameters<typeof readKeys>[1] | undefined,
) {
  const [keys, setKeys] = useState<Awaited<ReturnType<typeof readKeys>>>();
  const isThere = reply !== undefined;
  useEffect(() => {
    if (reply === undefined) return;
    const stopped = new AbortController();
    void persistently((signal) => readKeys(service, reply, signal), stopped.signal).then(
      (read) => read && setKeys(read),
    );
    return () => stopped.abort();
  }, [service, isThere]);
  return keys;
}

interface FoundProps extends PanelProps {
  found: ReturnType<typeof useImportance>;
  metric: string;
  keysFound: number;
}

function FoundKeys(props: FoundProps) {
  const { found, metric, keysFound } = props;
  const { importance, read, progress, problem } = found;
  if (importance === undefined || read === undefined)
    return (
      <p class="count" role={problem === undefined ? "status" : "alert"}>
        {problem ?? (progress === 0 ? "Reading …" : `Computing … ${Math.round(100 * progress)} %`)}
      </p>
    );
  const title = titleOf(metric);
  const { keys, experiments } = importance;
  return (
    <>
      <p role="status">
        {explainedText(importance, title)} {scopeText(importance, read, title)}
        {keysFound > read.fields.length &&
          ` The first ${countText(read.fields.length)} of ${countText(keysFound)} keys are counted.`}
      </p>
      {experiments >= experimentsMin && keys.length > 0 && (
        <TableRows
          rows={keys}
          unit="key"
          cells={5}
          label="Keys by their importance"
          look="importance-rows"
          heads={
            <>
              <th scope="col">key</th>
              <th scope="col">share of the differences</th>
              <th scope="col">rank correlation</th>
              <th scope="col">{title}</th>
              <th scope="col">actions</th>
            </>
          }
          keyOf={({ field }) => field}
          draw={(row) => <Cells {...props} row={row} />}
        />
      )}
      <p class="count">
        The part of a key is by how much predictions get worse when its values are shuffled among
        experiments, alone and together with other keys: so parts may add up to more than 100 %. ±
        is twice the standard error, over {countText(rounds)} divisions of the experiments into
        those that grow a forest and those that test it. Keys that always change together share
        their part, and a part is no cause. The correlation is of ranks (Spearman); it sees one
        direction only.
      </p>
    </>
  );
}

function Cells({ row, metric, location, address }: FoundProps & { row: KeyImportance }) {
  const { field, correlation } = row;
  const title = titleOf(field);
  const see = () => {
    const view = readRelationsView((name) => location.parameter(name));
    const axes = [...new Set([...(view.axes ?? []), field, metric])].slice(-12);
    location.change(
      relationsParameters({ ...view, plot: "scatter", axes, x: field, y: metric }),
      true,
    );
  };
  return (
    <>
      <th scope="row">
        <KeyMenu {...{ field, title, location, address }}>{null}</KeyMenu>
      </th>
      <td class={isCertain(row) ? "" : "uncertain"}>
        <Bar {...row} /> {shareText(row)}
        {!isCertain(row) && " (may be chance)"}
      </td>
      <td class="number">{correlationText(correlation)}</td>
      <td>{directionText(row)}</td>
      <td class="uses">
        <button type="button" title={`Draw ${title} against ${titleOf(metric)}`} onClick={see}>
          scatter
        </button>
        <KeyActions isShort {...{ field, location, address }} />
      </td>
    </>
  );
}

/** A bar with its uncertainty as a line through its end. */
function Bar({ mean, spread }: Pick<KeyImportance, "mean" | "spread">) {
  const place = (share: number) => 100 * Math.min(1, Math.max(0, share));
  return (
    <svg class="bar-of-key" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect class="whole" width="100" height="10" />
      <rect class="part" y="1" width={place(mean)} height="8" />
      <path
        class="spread"
        d={`M${place(mean - spread)} 5H${place(mean + spread)}M${place(mean - spread)} 2V8M${place(mean + spread)} 2V8`}
      />
    </svg>
  );
}
