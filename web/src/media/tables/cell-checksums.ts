import type { LoggedFile } from "@lossless/client";
import { readAllChecksums } from "../../pages/artifact/read-checksums.ts";
import type { Service } from "../../signed-in.ts";
import { mediaOf } from "../items/table-rows.ts";
import type { LoggedTable } from "../plots/table-json.ts";

/**
 * A table whose pictures have the checksums that the version's writer noted, so that those of
 * several runs can be compared. Guests may not read them, and MLflow's clients write none.
 */
export async function withChecksums(
  service: Service,
  { artifact, version }: LoggedFile,
  table: LoggedTable,
  stopped: AbortSignal,
): Promise<LoggedTable> {
  const hasMedia = table.rows.some((row) => row.some((cell) => mediaOf(cell) !== undefined));
  if (!hasMedia || artifact === undefined || version === undefined) return table;
  if (service.visit !== undefined) return table;
  try {
    const record = await service.client.artifacts.readVersion(artifact, version, {
      signal: stopped,
    });
    const checksums = await readAllChecksums(service, record, stopped);
    const known = (cell: unknown): unknown => {
      const media = mediaOf(cell);
      const sha256 = media && checksums.get(media.path);
      return sha256 === undefined ? cell : { _media: { ...media, sha256 } };
    };
    return { ...table, rows: table.rows.map((row) => row.map(known)) };
  } catch {
    // They only say more about pictures, which are then compared by their captions.
    return table;
  }
}
