import type { ArtifactReply } from "@lossless/client";
import { useEffect, useState } from "preact/hooks";
import { type ReadResult, useRead } from "../../parts/use-read.ts";
import { messageOf } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import { type KnownVersions, withNewest, withOlder } from "./known-versions.ts";

/** Milliseconds between looks for new versions, uploads and writers. */
const lookEveryMs = 5_000;

export interface FollowedArtifact extends ReadResult<ArtifactReply> {
  known: KnownVersions | undefined;
  readOlder: () => Promise<void>;
}

/** Follows an artifact while the page is visible, with the versions read so far. */
export function useArtifact({ client }: Service, name: string): FollowedArtifact {
  const [known, setKnown] = useState<KnownVersions>();
  const [olderProblem, setProblem] = useState<string>();
  const { found, problem = olderProblem } = useRead(
    (stopped) => client.views.artifact(name, {}, stopped),
    [name],
    lookEveryMs,
  );
  useEffect(() => {
    if (found !== undefined) setKnown((before) => withNewest(before, found));
  }, [found]);
  const readOlder = async () => {
    const after = known?.next;
    if (after === null || after === undefined) return;
    try {
      const page = await client.views.artifact(name, { after });
      setKnown((before) => before && withOlder(before, after, page));
      setProblem(undefined);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return {
    ...(found === undefined ? {} : { found }),
    ...(problem === undefined ? {} : { problem }),
    known,
    readOlder,
  };
}
