import type { ExperimentGroup, GroupColumn } from "@lossless/protocol";
import { plainText } from "../../../chart/lines/value-text.ts";
import { countText } from "../../../parts/words.ts";
import { cellOf } from "../cell-text.ts";
import type { Column } from "../columns.ts";

interface GroupRowProps {
  group: ExperimentGroup;
  columns: readonly Column[];
  cells: readonly GroupColumn[];
  isOpen: boolean;
  onToggle: () => void;
}

/** The values of a group, with what opens and closes it. */
export function GroupRow({ group, columns, cells, isOpen, onToggle }: GroupRowProps) {
  const texts = group.values.map(({ kind, text }) =>
    kind === "none" ? "none" : kind === "text" ? plainText(text) : text,
  );
  return (
    <tr>
      {texts.map((text, at) =>
        at === 0 ? (
          <th key={at} scope="row">
            <button
              type="button"
              class="quiet"
              aria-expanded={isOpen}
              aria-label={`Experiments of ${texts.join(", ")}`}
              onClick={onToggle}
            >
              {isOpen ? "▾" : "▸"}
            </button>{" "}
            {text}
          </th>
        ) : (
          <td key={at}>{text}</td>
        ),
      )}
      <td class="number">{countText(group.experiments)}</td>
      {columns.map((column, at) => (
        <StatCell key={column.field} column={column} cell={cells[at]} of={group.experiments} />
      ))}
    </tr>
  );
}

function StatCell({ column, cell, of }: { column: Column; cell: GroupColumn; of: number }) {
  const text = (value: number | null) => cellOf(column, value, Date.now()).text;
  const { count, others = 0, mean, min, max } = cell;
  const missing = [
    ...(others > 0 ? [`${countText(others)} not a number`] : []),
    ...(of > count + others ? [`${countText(of - count - others)} without`] : []),
  ];
  return (
    <td class="number">
      <span>{text(mean)}</span>
      {count > 1 && text(min) !== text(max) && (
        <small>
          {text(min)} … {text(max)}
        </small>
      )}
      {missing.length > 0 && <small class="soft">{missing.join(", ")}</small>}
    </td>
  );
}
