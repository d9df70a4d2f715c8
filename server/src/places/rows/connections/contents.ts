import type { Reader } from "../../../database/database.ts";

/** Objects at the locations of a connection, readable as long as the cloud trusts it. */
export interface Contents {
  locations: number;
  versions: number;
  bytes: number;
  /** Unfinished uploads, which cannot finish without the connection. */
  uploads: number;
}

/** Counts the contents of a connection; committed uploads are its versions. */
export async function contentsOf(reader: Reader, connectionId: string): Promise<Contents> {
  const row = await reader.get<Contents>(
    `SELECT count(DISTINCT location.id) AS locations,
       coalesce(sum(CASE WHEN upload.state = 'committed' THEN 1 ELSE 0 END), 0) AS versions,
       coalesce(sum(CASE WHEN upload.state = 'committed' THEN upload.bytes ELSE 0 END), 0) AS bytes,
       coalesce(sum(CASE WHEN upload.state IN ('starting', 'pending', 'completing') THEN 1 ELSE 0 END), 0) AS uploads
     FROM location LEFT JOIN upload ON upload.location = location.id WHERE location.connection = $1`,
    connectionId,
  );
  return { ...(row ?? { locations: 0, versions: 0, bytes: 0, uploads: 0 }) };
}
