import type { AttributesResultData } from "@lossless/client";
import { queryText } from "@lossless/protocol/query-text";
import { filterOf } from "../meta-tree.ts";
import { pairFilter } from "../written.ts";

interface Props {
  meta: Record<string, unknown>;
  tags: AttributesResultData["tags"];
}

interface Label {
  text: string;
  /** The name of its kind; undefined: a tag. */
  kind?: string;
  /** The query that finds experiments with the same. */
  query: string;
}

/** Tags, group and job type; a click finds the experiments that have the same. */
export function Labels({ meta, tags }: Props) {
  const labels = labelsOf(meta, tags);
  if (labels.length === 0) return null;
  return (
    <ul class="labels" aria-label="Tags">
      {labels.map(({ text, kind, query }) => (
        <li key={query}>
          <a
            href={`/experiments?${new URLSearchParams({ q: query }).toString()}`}
            title={`Find experiments with ${query}`}
          >
            {kind !== undefined && <span class="soft">{kind} </span>}
            <bdi>{text}</bdi>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Labels drawn at most. */
const labelsMax = 60;

function labelsOf(meta: Record<string, unknown>, tags: Props["tags"]): Label[] {
  const { _tags: own, _group: group, _job_type: jobType } = meta;
  const texts = (Array.isArray(own) ? own : [own]).filter((one) => typeof one === "string");
  const named = (name: "tag" | "group", text: string) =>
    queryText({
      kind: "compare",
      field: { kind: "own", name },
      operator: "=",
      value: { kind: "text", text },
    });
  const labels: Label[] = [...new Set(texts)].map((text) => ({ text, query: named("tag", text) }));
  if (typeof group === "string" && group !== "")
    labels.push({ kind: "group", text: group, query: named("group", group) });
  if (typeof jobType === "string" && jobType !== "")
    labels.push({ kind: "job", text: jobType, query: filterOf(["_job_type"], jobType) });
  // Those with the prefix are written by MLflow's clients themselves.
  for (const { key, value } of tags)
    if (!key.startsWith("mlflow."))
      labels.push({ kind: key, text: value, query: pairFilter("tag", { key, value }) });
  return labels.slice(0, labelsMax);
}
