import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { PageLocation } from "../../../location.ts";
import { Copy } from "../../../parts/copy.tsx";
import { type CompareAddress, sortOf, sortedParameters } from "../compare-address.ts";
import type { KeyFilter } from "./difference-table.ts";
import { groupedWith, isGroupedBy } from "./grouped-key.ts";

interface Props {
  /** The field in the query language's spelling. */
  field: string;
  title: string;
  location: PageLocation;
  address: CompareAddress;
  children: ComponentChildren;
}

/** A key with a menu of actions. */
export function KeyMenu({ field, title, location, address, children }: Props) {
  const [isOpen, setIsOpen] = useState(false);
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
          <KeyActions {...{ field, location, address }} />
          <Copy text={field} label="copy the key" />
          {children}
        </div>
      )}
    </div>
  );
}

interface ActionsProps extends Omit<Props, "title" | "children"> {
  /** Uses short words, for a row of a table. */
  isShort?: boolean;
}

/** Groups the curves by a key, or sorts the compared experiments by it. */
export function KeyActions({ field, location, address, isShort = false }: ActionsProps) {
  const group = location.parameter("group");
  const sort = sortOf(address.asked, field);
  const sorted = () => location.change(sortedParameters(address, field), true);
  return (
    <>
      <button
        type="button"
        aria-pressed={isGroupedBy(group, field)}
        title={`${field}: group the curves by it`}
        onClick={() => location.change({ group: groupedWith(group, field) }, true)}
      >
        {isShort ? "group" : "group by it"}
      </button>
      <button
        type="button"
        aria-pressed={sort !== undefined}
        title={`${field}: sort the experiments by it`}
        onClick={sorted}
      >
        {isShort ? "sort" : "sort by it"}
        {sort !== undefined && (
          <span role="img" aria-label={sort.descending ? "descending" : "ascending"}>
            {sort.descending ? " ▾" : " ▴"}
          </span>
        )}
      </button>
    </>
  );
}

/** Values listed at most: more are a series rather than a choice. */
const filtersShown = 20;

/** The values of a key as query tests. */
export function KeyFilters({ filters }: { filters: readonly KeyFilter[] }) {
  return (
    <>
      <p class="count">copy as a filter:</p>
      <ul>
        {filters.slice(0, filtersShown).map(({ text, experiments }) => (
          <li key={text}>
            <Copy text={text} label={text} />
            <span class="count">{experiments}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
