import type { ExperimentArtifactsReply } from "@lossless/client";
import { useEffect, useState } from "preact/hooks";
import { persistently } from "../../parts/persistently.ts";
import type { Service } from "../../signed-in.ts";

type Versions = ExperimentArtifactsReply["versions"];

/** The versions that an experiment wrote, read again when `changed` is another. */
export function useVersions(service: Service, experimentId: string, changed: unknown): Versions {
  const [versions, setVersions] = useState<Versions>([]);
  useEffect(() => {
    const stopped = new AbortController();
    const read = async () => {
      const reply = await service.client.views.experimentArtifacts(experimentId, stopped.signal);
      setVersions(reply.versions);
    };
    // Without them charts have no diamonds.
    void persistently(read, stopped.signal);
    return () => stopped.abort();
  }, [service, experimentId, changed]);
  return versions;
}
