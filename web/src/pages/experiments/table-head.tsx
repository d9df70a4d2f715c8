import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import type { PageProps } from "../../page.ts";
import { SavedViews } from "../../saved/saved-views.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { KeyHelp } from "../../parts/key-help.tsx";
import { Menu } from "../../parts/menu.tsx";
import { usePageKeys } from "../../parts/use-page-keys.ts";
import { countText } from "../../parts/words.ts";
import { mayWrite } from "../../rights.ts";
import { loadRowKeys } from "./groups/load-grouped-rows.ts";
import type { RowKeysProps } from "./groups/row-keys.tsx";
import { QueryField } from "../../query/query-field.tsx";
import { tableKeys } from "./table-keys.ts";
import { defaultSort, sortText, views } from "./table-address.ts";
import type { Address } from "./use-address.ts";
import { useSentDraft } from "./use-sent-draft.ts";
import type { AskFields } from "../../query/use-completions.ts";
import type { AskNear } from "../../query/use-query-problem.ts";
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
  askNear: AskNear;
  /** Shows what has been added since. */
  onNews: () => void;
}

/** `query`: the one that found them, where the field has another one that cannot be read. */
function foundText(total: number, query: string | undefined): string {
  const found = `${countText(total)} found`;
  if (query === undefined) return found;
  return query === "" ? `${found} by no query` : `${found} by “${query}”`;
}

type Dialogs = "columns" | "filter" | "keys" | "report";

/** The query, the number of results, and the choice of columns. */
export function TableHead(props: Props) {
  const { service, location, address, columns, pages, problem, comparedAddress } = props;
  const { input, ask, askNear, onNews } = props;
  const [opened, setOpened] = useState<Dialogs>();
  /** On narrow screens, what is rarely used is behind a button. */
  const [isMore, setIsMore] = useState(false);
  const { draft, type, stop, enter, isUnread } = useSentDraft(address.query, address.search);
  usePageKeys((event) => {
    if (event.key === "?") setOpened("keys");
  });
  const total = pages?.total.value;
  const news = pages?.news.value;
  return (
    <header class="asked" data-rare={isMore ? "shown" : "hidden"} data-unread={isUnread}>
      <div class="table-query">
        <QueryField
          label="Query"
          placeholder="Words, or meta.lr > 0.01 and not slug ~ *concat*"
          {...{ text: draft, onText: type, onLeave: stop, onEnter: enter }}
          {...{ columns, input, ask, askNear }}
        />
      </div>
      <Views {...{ service, location, address, isMore }} onMore={() => setIsMore(!isMore)} />
      {news !== undefined && (
        <button type="button" class="strong" onClick={onNews}>
          {news.more > 0 ? `${countText(news.more)} new` : "sort again"}
        </button>
      )}
      {problem !== undefined && <span role="alert">not up to date: {problem}</span>}
      <div class="found">
        <output title={isUnread ? address.query : undefined}>
          {total === undefined ? "" : foundText(total, isUnread ? address.query : undefined)}
        </output>
        <button type="button" class="quiet" onClick={() => setOpened("filter")}>
          + filter
        </button>
        <button type="button" class="quiet" onClick={() => setOpened("columns")}>
          columns
        </button>
        <span class="grouped-by">
          <GroupRows {...{ service, location, address, ask }} />
        </span>
        {!isUnread && <Files {...{ address, columns }} />}
        <button
          type="button"
          class="quiet rare"
          aria-label="Keyboard shortcuts"
          onClick={() => setOpened("keys")}
        >
          ?
        </button>
        {mayWrite(service) && !isUnread && (
          <button type="button" class="quiet rare" onClick={() => setOpened("report")}>
            + report
          </button>
        )}
        <CompareLink
          href={comparedAddress}
          isMain={total !== 0}
          // The one of the ticked experiments stands below the table.
          isAway={address.selected.size > 0 || isUnread}
        />
      </div>
      {opened !== undefined && (
        <Opened {...props} opened={opened} onClose={() => setOpened(undefined)} />
      )}
    </header>
  );
}

/** A link that keeps its place while it is away. */
function CompareLink({ href, isMain, isAway }: { href: string; isMain: boolean; isAway: boolean }) {
  return (
    <a
      class={isMain ? "quiet strong" : "quiet"}
      data-away={isAway}
      href={href}
      aria-label="compare all results"
    >
      compare
    </a>
  );
}

interface ViewsProps extends Pick<Props, "service" | "location" | "address"> {
  isMore: boolean;
  onMore: () => void;
}

function Views({ service, location, address, isMore, onMore }: ViewsProps) {
  return (
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
      <SavedViews {...{ service, location }} implied={impliedBy(address)}>
        <button type="button" class="quiet more-button" aria-expanded={isMore} onClick={onMore}>
          more <span aria-hidden="true">▾</span>
        </button>
      </SavedViews>
    </div>
  );
}

interface OpenedProps extends Pick<Props, "service" | "location" | "address" | "columns" | "ask"> {
  opened: Dialogs;
  onClose: () => void;
}

function Opened({ opened, service, location, address, columns, ask, onClose }: OpenedProps) {
  if (opened === "keys") return <KeyHelp keys={tableKeys} onClose={onClose} />;
  if (opened === "report")
    return <Loaded load={loadReport} props={{ service, location, address, columns, onClose }} />;
  if (opened === "filter") {
    const filter = { query: address.query, ask, onChange: address.search, onClose };
    return <Loaded load={loadFilter} props={filter} />;
  }
  const onChange = (next: readonly string[]) => address.show(next, columns);
  const onReset = () => address.show(undefined);
  const readFound = async (stopped: AbortSignal) =>
    (await loadKeys()).readFoundKeys(service.client, address, stopped);
  const props = { columns, ask, readFound, onChange, onReset, onClose };
  return <Loaded load={loadColumns} props={props} />;
}

const loadColumns = () => import("./column-picker.tsx").then(({ ColumnPicker }) => ColumnPicker);
const loadReport = () =>
  import("../../saved/table-report.tsx").then(({ TableReport }) => TableReport);
const loadKeys = () => import("./differing-keys.ts");
const loadFilter = () => import("./filter-dialog.tsx").then(({ FilterDialog }) => FilterDialog);

/** Groups the rows by keys. */
function GroupRows(props: RowKeysProps) {
  const [isOpen, setIsOpen] = useState(false);
  const by = props.location.parameter("by");
  const words = by === undefined ? "group rows" : `grouped by ${by}`;
  return (
    <Menu sign={<bdi>{words}</bdi>} label={words} staysOpen onOpen={setIsOpen}>
      {isOpen && <Loaded load={loadRowKeys} props={props} />}
    </Menu>
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

function Files({ address, columns }: Pick<Props, "address" | "columns">) {
  return (
    <span class="table-files rare" role="group" aria-label="Files of all results">
      <a class="quiet" href={csvAddress(address, columns)} download="experiments.csv">
        CSV
      </a>
      <ParquetMenu address={address} />
    </span>
  );
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
  { name: "lineage.parquet", words: "what they used and made" },
];

function fileAddress(name: string, { query, folder }: Address, more = {}): string {
  const parameters = new URLSearchParams(more);
  if (query !== "") parameters.set("query", query);
  if (folder !== undefined) parameters.set("folderId", folder);
  return `/api/views/v1/${name}?${parameters.toString()}`;
}
