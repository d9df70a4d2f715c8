import { useState } from "preact/hooks";
import { copied } from "../../parts/copy.tsx";
import { countedText, countText, durationText, messageOf } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import { selectedMax } from "./table-address.ts";
import type { Address } from "./use-address.ts";
import type { TablePages } from "./use-table.ts";

interface Props {
  service: Service;
  address: Address;
  pages: TablePages | undefined;
  /** A sentence about the last change by this page. */
  said: string;
  /** Address that compares the ticked experiments. */
  comparedAddress: string;
  onMove: () => void;
  onDelete: () => void;
}

/** Actions on the ticked experiments, and the time of the table's data. */
export function TableFoot(props: Props) {
  const { service, address, pages, said, comparedAddress, onMove, onDelete } = props;
  const [told, setTold] = useState("");
  const { selected } = address;
  const copy = async () => {
    try {
      const { experiments } = await service.client.experiments([...selected]);
      const isCopied = await copied(experiments.map(({ slug }) => slug).join("\n"));
      setTold(isCopied ? `${experiments.length} copied` : "could not copy");
    } catch (error) {
      setTold(messageOf(error));
    }
  };
  return (
    <footer class="foot">
      {selected.size > 0 && (
        <>
          <b>{countText(selected.size)} ticked</b>
          {selected.size === selectedMax && <span class="soft">(the maximum)</span>}
          <a class="quiet" href={comparedAddress} aria-keyshortcuts="c">
            compare
          </a>
          <button type="button" class="quiet" onClick={onMove}>
            move to folder…
          </button>
          <button type="button" class="quiet" onClick={onDelete}>
            move to trash…
          </button>
          <button type="button" class="quiet" onClick={() => void copy()}>
            copy slugs
          </button>
          <button type="button" class="quiet" onClick={() => address.tick([...selected], false)}>
            untick
          </button>
        </>
      )}
      <span role="status">{told || said}</span>
      <span class="soft as-of">{asOfText(pages)}</span>
    </footer>
  );
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
