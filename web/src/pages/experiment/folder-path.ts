import { useEffect, useState } from "preact/hooks";
import { persistently } from "../../parts/persistently.ts";
import type { Service } from "../../signed-in.ts";
import { Folders } from "../experiments/folder-lines.ts";

export async function readFolders({ client }: Service, stopped?: AbortSignal): Promise<Folders> {
  return new Folders((await client.views.folders(stopped)).folders);
}

/** The names that lead to a folder; empty until they are read, and at the root. */
export function useFolderPath(
  folderId: string | null,
  read: (stopped: AbortSignal) => Promise<Folders>,
): string {
  const [path, setPath] = useState("");
  useEffect(() => {
    setPath("");
    if (folderId === null) return;
    const stopped = new AbortController();
    void persistently(read, stopped.signal).then(
      (folders) => folders && setPath(folders.path(folderId)),
    );
    return () => stopped.abort();
  }, [folderId]);
  return path;
}
