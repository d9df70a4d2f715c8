import type { Reader } from "../../../database/database.ts";

/** What is at the locations of a connection, and can be read as long as the cloud trusts it. */
export interface Contents {
  locations: number;
  versions: number;
  bytes: number;
  /** That are not finished, and cannot be without the connection. */
  uploads: number;
}

/** Counts what a connection holds; committed uploads are its versions. */
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
