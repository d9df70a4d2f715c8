import type { DifferenceBody, DifferenceReply } from "@lossless/protocol";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { persistently } from "../../../parts/persistently.ts";
import type { Service } from "../../../signed-in.ts";
import { CatchUp } from "../../experiments/catch-up.ts";
import type { Compared } from "../use-compared.ts";

export type Asked = Omit<DifferenceBody, "experimentIds" | "query" | "folderId" | "sort">;

export interface Difference {
  /** The last one that was read: while another one is, too. */
  reply: DifferenceReply | undefined;
  problem: string | undefined;
}

/** What differs between the experiments that are not hidden, the reference first; followed. */
export function useDifference(service: Service, compared: Compared, asked: Asked): Difference {
  const [found, setFound] = useState<Difference>({ reply: undefined, problem: undefined });
  const experimentIds = shownIds(compared);
  const question = JSON.stringify({ ...asked, experimentIds } satisfies DifferenceBody);
  const latest = useRef(question);
  latest.current = question;
  const read = (stopped?: AbortSignal) =>
    service.client.views.difference(JSON.parse(latest.current) as DifferenceBody, stopped);
  useEffect(() => {
    const stopped = new AbortController();
    const tell = (problem: string) => setFound(({ reply }) => ({ reply, problem }));
    void persistently(read, stopped.signal, tell).then(
      (reply) => reply && setFound({ reply, problem: undefined }),
    );
    return () => stopped.abort();
  }, [service, question]);
  const catchUp = useMemo(
    () =>
      new CatchUp(async () => {
        const before = latest.current;
        const reply = await read().catch(() => undefined);
        if (reply !== undefined && latest.current === before)
          setFound({ reply, problem: undefined });
        return reply !== undefined;
      }),
    [service],
  );
  useEffect(() => () => catchUp.stop(), [catchUp]);
  const revisions = compared.experiments.map(({ revision }) => revision).join();
  const first = useRef(revisions);
  useEffect(() => {
    if (revisions !== first.current || (found.reply?.behind ?? 0) > 0) catchUp.owe();
    first.current = revisions;
  }, [revisions, found.reply]);
  return found;
}

/** Hidden ones are left out, but for the one that others are compared with. */
export function shownIds({ experiments, reference }: Compared): string[] {
  const others = experiments.filter((one) => one !== reference && !one.isHidden);
  return [...(reference === undefined ? [] : [reference]), ...others].map(
    ({ experimentId }) => experimentId,
  );
}
