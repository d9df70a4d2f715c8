import { useState } from "preact/hooks";
import { copied } from "../../parts/copy.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Menu } from "../../parts/menu.tsx";
import { countedText, countText, durationText, messageOf } from "../../parts/words.ts";
import { mayWrite } from "../../rights.ts";
import type { Service } from "../../signed-in.ts";
import { loadTags } from "../../tags/load-tags.ts";
import type { MetasWritten } from "../../parts/write-metas.ts";
import { selectedMax } from "./table-address.ts";
import type { Address } from "./use-address.ts";
import type { TablePages } from "./use-table.ts";

/** A sentence about a change, and how it is undone. */
export type Told = Pick<MetasWritten, "words" | "undo"> & Partial<MetasWritten>;

interface Props {
  service: Service;
  address: Address;
  pages: TablePages | undefined;
  /** The fields of the columns. */
  columns: readonly string[];
  /** The last change by this page. */
  told: Told;
  onTold: (told: Told) => void;
  /** Address that compares the ticked experiments. */
  comparedAddress: string;
  onColour: () => void;
  onMove: () => void;
  onDelete: () => void;
}

/** Actions on the ticked experiments, and the time of the table's data. */
export function TableFoot(props: Props) {
  const { service, address, pages, told, onTold } = props;
  const [isTagging, setIsTagging] = useState(false);
  const { selected } = address;
  return (
    <footer class="foot">
      {selected.size > 0 && <TickedActs {...props} onTag={() => setIsTagging(true)} />}
      <div class="told">
        <span role="status" title={told.words === "" ? undefined : told.words}>
          {told.words}
        </span>
        {told.undo !== undefined && (
          <button type="button" class="quiet" onClick={() => void told.undo!().then(onTold)}>
            undo
          </button>
        )}
        <AsOf pages={pages} />
      </div>
      {isTagging && (
        <Loaded
          load={loadTags}
          props={{
            service,
            experimentIds: [...selected],
            onWritten: (written) => {
              setIsTagging(false);
              onTold(written);
            },
            onClose: () => setIsTagging(false),
          }}
        />
      )}
    </footer>
  );
}

/** Acts on the ticked experiments, the rarer ones in a menu. */
function TickedActs(props: Props & { onTag: () => void }) {
  const { service, address, comparedAddress, onTold, onTag, onColour, onMove, onDelete } = props;
  const { selected } = address;
  const copy = async (noun: string, text: Promise<{ text: string; count: number }>) => {
    try {
      const { text: found, count } = await text;
      const isCopied = await copied(found);
      onTold({ words: isCopied ? `${countedText(count, noun)} copied` : "could not copy" });
    } catch (error) {
      onTold({ words: messageOf(error) });
    }
  };
  return (
    <div class="acts">
      <b>{countText(selected.size)} ticked</b>
      {selected.size === selectedMax && <span class="soft">(the maximum)</span>}
      <a class="quiet strong" href={comparedAddress} aria-keyshortcuts="c">
        compare
      </a>
      {mayWrite(service) && (
        <Acts
          acts={[
            ["tags…", onTag],
            ["move to trash…", onDelete],
          ]}
        />
      )}
      <Menu sign="more ▾" label="More actions">
        {mayWrite(service) && (
          <Acts
            acts={[
              ["colour…", onColour],
              ["move to folder…", onMove],
            ]}
          />
        )}
        <Acts
          acts={[
            ["copy rows", () => void copy("row", rowsOf(props))],
            ["copy slugs", () => void copy("slug", slugsOf(props))],
          ]}
        />
      </Menu>
      <Acts acts={[["untick", () => address.tick([...selected], false)]]} />
    </div>
  );
}

async function slugsOf({ service, address }: Props) {
  const { experiments } = await service.client.experiments([...address.selected]);
  const text = experiments.map(({ slug }) => slug).join("\n");
  return { text, count: experiments.length };
}

async function rowsOf({ service, address, columns }: Props) {
  const { copiedRows } = await import("./copied-rows.ts");
  return copiedRows(service.client, [...address.selected], columns, [...address.sort]);
}

/** Buttons of acts on the ticked experiments. */
function Acts({ acts }: { acts: readonly (readonly [string, () => void])[] }) {
  return acts.map(([words, act]) => (
    <button key={words} type="button" class="quiet" onClick={act}>
      {words}
    </button>
  ));
}

/** Says how current the table is: status, names and times always are; metrics and meta follow. */
function AsOf({ pages }: Pick<Props, "pages">) {
  const reply = pages?.reply.value;
  if (reply === undefined) return <span class="soft as-of" />;
  const { late, asOfMs } = reply;
  if (late === 0) return <span class="soft as-of">up to date</span>;
  const count = countedText(late, "experiment");
  const age = durationText(Math.max(0, Date.now() - asOfMs));
  return (
    <span
      class="soft as-of"
      title={`Metrics and meta of ${count} are still being processed; they are shown as of ${age} ago.`}
    >
      as of {age} ago, {count} still being processed
    </span>
  );
}
