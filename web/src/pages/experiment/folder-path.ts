import { useEffect, useState } from "preact/hooks";
import { persistently } from "../../parts/persistently.ts";
import type { Service } from "../../signed-in.ts";
import { Folders } from "../experiments/folder-lines.ts";

/** The names on the way to a folder; empty until they were read, and at the root. */
export function useFolderPath(service: Service, folderId: string | null): string {
  const [path, setPath] = useState("");
  useEffect(() => {
    setPath("");
    if (folderId === null) return;
    const stopped = new AbortController();
    const read = async () => {
      const { folders } = await service.client.views.folders(stopped.signal);
      setPath(new Folders(folders).path(folderId));
    };
    void persistently(read, stopped.signal);
    return () => stopped.abort();
  }, [service, folderId]);
  return path;
}
