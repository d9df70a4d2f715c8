import type { PageLocation } from "../location.ts";
import type { TableAddress } from "../pages/experiments/table-address.ts";
import { readGroupsAddress } from "../pages/experiments/groups/groups-address.ts";
import { timeText } from "../parts/words.ts";
import type { Service } from "../signed-in.ts";
import { SaveDialog } from "./save-dialog.tsx";
import { tableBlocks } from "./table-blocks.ts";

interface Props {
  service: Service;
  location: PageLocation;
  address: TableAddress;
  /** The columns that are shown. */
  columns: readonly string[];
  onClose: () => void;
}

/** Makes a report of what the table of experiments shows. */
export function TableReport({ service, location, address, columns, onClose }: Props) {
  const { by } = readGroupsAddress((name) => location.parameter(name));
  return (
    <SaveDialog
      title="New report with these experiments"
      action="Create"
      usual={nameOf(address)}
      onSave={async (given) => {
        const blocks = tableBlocks(address, columns, by);
        const { id } = await service.client.reports.create({ ...given, blocks });
        location.open(`/reports/${id}?edit=1`);
      }}
      onClose={onClose}
    />
  );
}

/** Long queries are no names. */
const nameMax = 60;

function nameOf({ query, view }: TableAddress): string {
  const words = view?.title ?? query.trim();
  const day = timeText(Date.now()).slice(0, "2026-11-30 12:00".length);
  return words !== "" && words.length <= nameMax ? `${words}, ${day}` : `Report of ${day}`;
}
