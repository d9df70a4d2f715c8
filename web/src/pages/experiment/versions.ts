import type { ExperimentArtifactsReply } from "@lossless/client";
import { useEffect, useState } from "preact/hooks";
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
    // Without them charts have no diamonds; the next change asks again.
    read().catch(() => undefined);
    return () => stopped.abort();
  }, [service, experimentId, changed]);
  return versions;
}
