import type { AttributesResultData } from "@lossless/client";
import { queryText } from "@lossless/protocol/query-text";
import { TagChip } from "../../../parts/tag-chip.tsx";
import { tagAddress, tagQuery } from "../../../tags/tag-query.ts";
import { tagsIn } from "../../../tags/tags.ts";
import { filterOf } from "../meta-tree.ts";
import { pairFilter } from "../written.ts";

interface Props {
  meta: Record<string, unknown>;
  tags: AttributesResultData["tags"];
}

interface Label {
  text: string;
  kind: string;
  /** The query that finds experiments with the same. */
  query: string;
}

/** Labels drawn at most. */
const labelsMax = 60;

/** Tags, group and job type; a click finds the experiments that have the same. */
export function Labels({ meta, tags }: Props) {
  const own = tagsIn(meta._tags).slice(0, labelsMax);
  const labels = labelsOf(meta, tags).slice(0, labelsMax - own.length);
  if (own.length + labels.length === 0) return null;
  return (
    <ul class="labels" aria-label="Tags">
      {own.map((tag) => (
        <li key={tag}>
          <TagChip tag={tag} href={tagAddress(tag)} title={foundBy(tagQuery(tag))} />
        </li>
      ))}
      {labels.map(({ text, kind, query }) => (
        <li key={query}>
          <a
            class="tag"
            href={`/experiments?${new URLSearchParams({ q: query }).toString()}`}
            title={foundBy(query)}
          >
            <span class="soft">{kind} </span>
            <bdi>{text}</bdi>
          </a>
        </li>
      ))}
    </ul>
  );
}

function foundBy(query: string): string {
  return `Find experiments with ${query}`;
}

function labelsOf(meta: Record<string, unknown>, tags: Props["tags"]): Label[] {
  const { _group: group, _job_type: jobType } = meta;
  const labels: Label[] = [];
  if (typeof group === "string" && group !== "")
    labels.push({ kind: "group", text: group, query: groupQuery(group) });
  if (typeof jobType === "string" && jobType !== "")
    labels.push({ kind: "job", text: jobType, query: filterOf(["_job_type"], jobType) });
  // Those with the prefix are written by MLflow's clients themselves.
  for (const { key, value } of tags)
    if (!key.startsWith("mlflow."))
      labels.push({ kind: key, text: value, query: pairFilter("tag", { key, value }) });
  return labels;
}

function groupQuery(text: string): string {
  const value = { kind: "text" as const, text };
  return queryText({
    kind: "compare",
    field: { kind: "own", name: "group" },
    operator: "=",
    value,
  });
}
