import type { ComparedKey } from "@lossless/protocol";
import { useState } from "preact/hooks";
import type { PageLocation } from "../../../location.ts";
import { Copy } from "../../../parts/copy.tsx";
import { groupedWith, isGroupedBy } from "./grouped-key.ts";
import { filtersOf } from "./difference-table.ts";

interface Props {
  compared: ComparedKey;
  title: string;
  location: PageLocation;
}

/** More values of one key are rather a series than a choice. */
const filtersShown = 20;

/** A key, and what can be done with it. */
export function KeyMenu({ compared, title, location }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const { field } = compared;
  const group = location.parameter("group");
  const isGrouped = isGroupedBy(group, field);
  return (
    <div class="key" onKeyDown={(event) => event.key === "Escape" && setIsOpen(false)}>
      <button
        type="button"
        class="name"
        title={field}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <bdi>{title}</bdi>
      </button>
      {isOpen && (
        <div>
          <button
            type="button"
            aria-pressed={isGrouped}
            onClick={() => location.change({ group: groupedWith(group, field) }, true)}
          >
            group by it
          </button>
          <Copy text={field} label="copy the key" />
          <p class="count">copy as a filter:</p>
          <ul>
            {filtersOf(compared)
              .slice(0, filtersShown)
              .map(({ text, experiments }) => (
                <li key={text}>
                  <Copy text={text} label={text} />
                  <span class="count">{experiments}</span>
                </li>
              ))}
          </ul>
        </div>
      )}
    </div>
  );
}
