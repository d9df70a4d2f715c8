import type { TableRow } from "@lossless/protocol";
import { NonfiniteSign } from "../../parts/nonfinite-sign.tsx";
import { differenceMeasure, unitOf } from "../../parts/units.ts";
import { countText, statusSigns } from "../../parts/words.ts";
import { type CellValue, cellOf, lifeText, tagsOf, valueOf } from "./cell-text.ts";
import type { Column } from "./columns.ts";
import type { GridProps } from "./grid-props.ts";
import { differenceOf } from "./marks.ts";
import { TagChips } from "./tag-chips.tsx";

interface Props extends Pick<GridProps, "marks" | "onFind"> {
  column: Column;
  content: TableRow;
  /** Index of the column's value in the row. */
  place: number;
  /** The step of an extreme. */
  step: CellValue | undefined;
  now: number;
}

export function CellContent(props: Props) {
  const { column, content, marks, place, now, onFind } = props;
  if (column.field === "status") return <Status content={content} now={now} />;
  const value = valueOf(column, content, place);
  const tags = tagsOf(column, value);
  if (tags !== undefined && tags.length > 0) return <TagChips {...{ tags, onFind }} />;
  // An empty list of tags is none.
  const { text, title } = cellOf(column, tags?.length === 0 ? null : value, now);
  const isBest = typeof value === "number" && marks.best.get(column.field) === value;
  return (
    <>
      <span class="value">
        <NonfiniteSign count={content.nonfinite?.[place]} />
        {isBest && (
          <span class="best" role="img" aria-label="best" title="the best of all found">
            ★
          </span>
        )}
        <bdi title={title}>{text}</bdi>
      </span>
      <Below {...props} value={value} />
    </>
  );
}

/** Below a value: its difference to the baseline, or else the step of an extreme. */
function Below({ column, content, marks, place, step, value }: Props & { value: CellValue }) {
  const { baseline, directions } = marks;
  const isOther = baseline !== undefined && baseline.experimentId !== content.experimentId;
  const difference = isOther
    ? differenceOf(column, value, baseline.values[place], directions)
    : undefined;
  const unit = column.kind.kind === "metric" ? unitOf(column.kind.name) : undefined;
  if (difference !== undefined)
    return (
      <small class={difference.word}>
        {differenceMeasure(difference.value, unit)} {difference.word}
      </small>
    );
  return typeof step === "number" ? <small>step {countText(step)}</small> : null;
}

function Status({ content, now }: Pick<Props, "content" | "now">) {
  const { text, isBad } = lifeText(content, now);
  return (
    <>
      <span class={`status ${content.status}`}>
        <span aria-hidden="true">{statusSigns[content.status]}</span> <span>{content.status}</span>
      </span>{" "}
      <span class={isBad ? "silent" : "soft"} title={text}>
        {text}
      </span>
    </>
  );
}
