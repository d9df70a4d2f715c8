import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { persistently } from "../../parts/persistently.ts";
import { behindMs, CatchUp } from "../experiments/catch-up.ts";

export interface Followed<Reply> {
  /** The latest reply, also while the next one is read. */
  reply: Reply | undefined;
  problem: string | undefined;
}

/**
 * Follows the answer to a question about some experiments: read at once for a new question, and
 * again some time after an experiment has changed, or while the answer is behind. That time may
 * depend on the last answer.
 */
export function useFollowed<Reply extends { behind: number }>(
  { experiments }: { experiments: readonly { revision: number }[] },
  question: string,
  read: (question: string, stopped?: AbortSignal) => Promise<Reply>,
  restMs: (last: Reply) => number = () => behindMs,
): Followed<Reply> {
  const [found, setFound] = useState<Followed<Reply>>({ reply: undefined, problem: undefined });
  const latest = useRef({ question, read });
  latest.current = { question, read };
  const rest = useRef(behindMs);
  if (found.reply !== undefined) rest.current = restMs(found.reply);
  useEffect(() => {
    const stopped = new AbortController();
    const tell = (problem: string) => setFound(({ reply }) => ({ reply, problem }));
    void persistently((signal) => read(question, signal), stopped.signal, tell).then(
      (reply) => reply && setFound({ reply, problem: undefined }),
    );
    return () => stopped.abort();
  }, [question]);
  const catchUp = useMemo(
    () =>
      new CatchUp(
        async () => {
          const asked = latest.current;
          const reply = await asked.read(asked.question).catch(() => undefined);
          if (reply !== undefined && latest.current.question === asked.question)
            setFound({ reply, problem: undefined });
          return reply !== undefined;
        },
        document,
        () => rest.current,
      ),
    [],
  );
  useEffect(() => () => catchUp.stop(), [catchUp]);
  const revisions = experiments.map(({ revision }) => revision).join();
  const seen = useRef(revisions);
  useEffect(() => {
    if (revisions !== seen.current || (found.reply?.behind ?? 0) > 0) catchUp.owe();
    seen.current = revisions;
  }, [revisions, found.reply]);
  return found;
}
