import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import type { PageProps } from "../../page.ts";
import { SavedViews } from "../../saved/saved-views.tsx";
import { KeyHelp } from "../../parts/key-help.tsx";
import { Menu } from "../../parts/menu.tsx";
import { usePageKeys } from "../../parts/use-page-keys.ts";
import { countText } from "../../parts/words.ts";
import { ColumnPicker } from "./column-picker.tsx";
import { QueryField } from "./query-field.tsx";
import { tableKeys } from "./table-keys.ts";
import { defaultSort, sortText, views } from "./table-address.ts";
import type { Address } from "./use-address.ts";
import type { AskFields } from "./use-completions.ts";
import type { TablePages } from "./use-table.ts";

interface Props extends PageProps {
  address: Address;
  columns: readonly string[];
  /** Undefined until the first rows are read. */
  pages: TablePages | undefined;
  problem: string | undefined;
  /** Address that compares the experiments found. */
  comparedAddress: string;
  input: RefObject<HTMLInputElement | null>;
  ask: AskFields;
  /** Shows what has been added since. */
  onNews: () => void;
}

/** The query, the number of results, and the choice of columns. */
export function TableHead(props: Props) {
  const { service, location, address, columns, pages, problem, comparedAddress } = props;
  const { input, ask, onNews } = props;
  const [opened, setOpened] = useState<"columns" | "keys">();
  usePageKeys((event) => {
    if (event.key === "?") setOpened("keys");
  });
  const total = pages?.total.value;
  const news = pages?.news.value;
  return (
    <header class="asked">
      <QueryField query={address.query} input={input} ask={ask} onChange={address.search} />
      <div class="choices views" role="group" aria-label="Views">
        {views.map((view) => (
          <button
            key={view.name}
            type="button"
            aria-pressed={address.view?.name === view.name}
            onClick={() => address.choose(view)}
          >
            {view.title}
          </button>
        ))}
        <SavedViews service={service} location={location} implied={impliedBy(address)} />
      </div>
      {news !== undefined && (
        <button type="button" class="strong" onClick={onNews}>
          {news.more > 0 ? `${countText(news.more)} new` : "sort again"}
        </button>
      )}
      {problem !== undefined && <span role="alert">not up to date: {problem}</span>}
      <span class="found">
        <output>{total === undefined ? "" : `${countText(total)} found`}</output>
        <button type="button" class="quiet" onClick={() => setOpened("columns")}>
          columns
        </button>
        <a class="quiet" href={comparedAddress} aria-label="compare all results">
          compare
        </a>
        <a class="quiet" href={csvAddress(address, columns)} download="experiments.csv">
          CSV
        </a>
        <ParquetMenu address={address} />
        <button
          type="button"
          class="quiet"
          aria-label="Keyboard shortcuts"
          onClick={() => setOpened("keys")}
        >
          ?
        </button>
      </span>
      {opened === "columns" && (
        <ColumnPicker
          columns={columns}
          ask={ask}
          onChange={address.show}
          onReset={() => address.show(undefined)}
          onClose={() => setOpened(undefined)}
        />
      )}
      {opened === "keys" && <KeyHelp keys={tableKeys} onClose={() => setOpened(undefined)} />}
    </header>
  );
}

/** The query and order that a built-in view implies, which the address then lacks. */
function impliedBy({ view, query, sort }: Address): Record<string, string> {
  const order = sortText(sort);
  return view === undefined ? {} : { q: query, sort: order === defaultSort ? "" : order };
}

/** Address of the table as CSV, saved by the browser: all rows, with the table's columns. */
function csvAddress(address: Address, columns: readonly string[]): string {
  const shown = { sort: sortText(address.sort), columns: columns.join(", ") };
  return fileAddress("experiments.csv", address, shown);
}

function ParquetMenu({ address }: Pick<Props, "address">) {
  return (
    <Menu sign="Parquet" label="Parquet of all results">
      {files.map(({ name, words }) => (
        <a key={name} href={fileAddress(name, address)} download={name}>
          {words}
        </a>
      ))}
    </Menu>
  );
}

/** Files for other programs, of all experiments found. */
const files = [
  { name: "points.parquet", words: "every point" },
  { name: "experiments.parquet", words: "experiments with meta" },
  { name: "annotations.parquet", words: "annotations" },
];

function fileAddress(name: string, { query, folder }: Address, more = {}): string {
  const parameters = new URLSearchParams(more);
  if (query !== "") parameters.set("query", query);
  if (folder !== undefined) parameters.set("folderId", folder);
  return `/api/views/v1/${name}?${parameters.toString()}`;
}
