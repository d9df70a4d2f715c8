import type { Reader } from "../../database/database.ts";
import { pages } from "../../ground/pages.ts";

export interface PartitionRow {
  partition: number;
  name: string;
  meta: string;
}

const rowsPerPageMax = 2_000;

/** The partitions of an experiment, of which there may be a million, page by page. */
export function readPartitions(
  reader: Reader,
  experimentId: string,
): AsyncGenerator<PartitionRow[]> {
  let above = -1;
  const read = async (limit: number): Promise<PartitionRow[]> => {
    const own = await reader.at(experimentId);
    const rows = await own.all<PartitionRow>(
      `SELECT partition, name, meta FROM series WHERE experiment = $1 AND partition > $2
       ORDER BY partition LIMIT $3`,
      experimentId,
      above,
      limit,
    );
    above = rows.at(-1)?.partition ?? above;
    return rows;
  };
  return pages(rowsPerPageMax, read, ({ name, meta }) => name.length + meta.length + 64);
}
