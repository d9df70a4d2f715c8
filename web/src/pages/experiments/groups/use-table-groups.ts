import type { ExperimentGroupsBody, ExperimentGroupsReply } from "@lossless/protocol";
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../../parts/words.ts";
import type { Service } from "../../../signed-in.ts";

export type GroupsQuestion = Omit<ExperimentGroupsBody, "limit" | "offset">;

/** Groups of one page. */
const pageGroups = 200;

export interface TableGroups {
  reply: ExperimentGroupsReply | undefined;
  problem: string | undefined;
  /** Reads more groups; undefined: these are all. */
  more: (() => void) | undefined;
}

/** Reads the groups of a table; those of another question are not shown meanwhile. */
export function useTableGroups(
  { client }: Service,
  question: GroupsQuestion,
  round: unknown,
): TableGroups {
  const text = JSON.stringify(question);
  const [wanted, setWanted] = useState({ text, limit: pageGroups });
  const [read, setRead] = useState<{ text: string; reply: ExperimentGroupsReply }>();
  const [problem, setProblem] = useState<string>();
  const limit = wanted.text === text ? wanted.limit : pageGroups;
  useEffect(() => {
    const stopped = new AbortController();
    const look = async () => {
      try {
        const reply = await readPages(client, question, limit, stopped.signal);
        if (stopped.signal.aborted) return;
        setRead({ text, reply });
        setProblem(undefined);
      } catch (error) {
        if (!stopped.signal.aborted) setProblem(messageOf(error));
      }
    };
    void look();
    return () => stopped.abort();
  }, [client, text, limit, round]);
  const reply = read?.text === text ? read.reply : undefined;
  const isWhole = reply === undefined || reply.groups.length >= reply.total;
  const more = () => setWanted({ text, limit: limit + pageGroups });
  return { reply, problem, more: isWhole ? undefined : more };
}

/** Reads the first groups, page by page: one reply has at most a thousand. */
async function readPages(
  client: Service["client"],
  question: GroupsQuestion,
  limit: number,
  signal: AbortSignal,
): Promise<ExperimentGroupsReply> {
  const ask = (offset: number) =>
    client.views.experimentGroups(
      { ...question, offset, limit: Math.min(limit - offset, 1_000) },
      signal,
    );
  const first = await ask(0);
  const groups = [...first.groups];
  while (groups.length < Math.min(limit, first.total)) {
    const next = await ask(groups.length);
    if (next.groups.length === 0) break;
    groups.push(...next.groups);
  }
  return { ...first, groups };
}
