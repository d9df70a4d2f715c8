import { useState } from "preact/hooks";
import { copied } from "../../parts/copy.tsx";
import { Loaded } from "../../parts/loaded.tsx";
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
  const { service, address, pages, told, onTold, comparedAddress, onColour, onMove, onDelete } =
    props;
  const [isTagging, setIsTagging] = useState(false);
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
    <footer class="foot">
      {selected.size > 0 && (
        <>
          <b>{countText(selected.size)} ticked</b>
          {selected.size === selectedMax && <span class="soft">(the maximum)</span>}
          <a class="quiet strong" href={comparedAddress} aria-keyshortcuts="c">
            compare
          </a>
          {mayWrite(service) && (
            <Changes {...{ onColour, onMove, onDelete }} onTag={() => setIsTagging(true)} />
          )}
          <button type="button" class="quiet" onClick={() => void copy("row", rowsOf(props))}>
            copy rows
          </button>
          <button type="button" class="quiet" onClick={() => void copy("slug", slugsOf(props))}>
            copy slugs
          </button>
          <button type="button" class="quiet" onClick={() => address.tick([...selected], false)}>
            untick
          </button>
        </>
      )}
      <span role="status">{told.words}</span>
      {told.undo !== undefined && (
        <button type="button" class="quiet" onClick={() => void told.undo!().then(onTold)}>
          undo
        </button>
      )}
      <span class="soft as-of">{asOfText(pages)}</span>
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

async function slugsOf({ service, address }: Props) {
  const { experiments } = await service.client.experiments([...address.selected]);
  const text = experiments.map(({ slug }) => slug).join("\n");
  return { text, count: experiments.length };
}

async function rowsOf({ service, address, columns }: Props) {
  const { copiedRows } = await import("./copied-rows.ts");
  return copiedRows(service.client, [...address.selected], columns, [...address.sort]);
}

interface ChangesProps extends Pick<Props, "onColour" | "onMove" | "onDelete"> {
  onTag: () => void;
}

/** Buttons that change the ticked experiments. */
function Changes({ onTag, onColour, onMove, onDelete }: ChangesProps) {
  const changes = [
    ["tags…", onTag],
    ["colour…", onColour],
    ["move to folder…", onMove],
    ["move to trash…", onDelete],
  ] as const;
  return changes.map(([words, act]) => (
    <button key={words} type="button" class="quiet" onClick={act}>
      {words}
    </button>
  ));
}

/** Says how current the table is: status, names and times always are; metrics and meta follow. */
function asOfText(pages: TablePages | undefined): string {
  const reply = pages?.reply.value;
  if (reply === undefined) return "";
  const { late, asOfMs } = reply;
  if (late === 0) return "up to date";
  const count = countedText(late, "experiment");
  const age = durationText(Math.max(0, Date.now() - asOfMs));
  return `metrics and meta of ${count} are still being processed; shown as of ${age} ago`;
}
