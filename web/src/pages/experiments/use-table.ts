import type { ChangesReply } from "@lossless/client";
import type { TableBody, TableReply, TableRow } from "@lossless/protocol";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useChanges } from "../../parts/use-changes.ts";
import type { Service } from "../../signed-in.ts";
import { CatchUp } from "./catch-up.ts";
import { RowPages } from "./row-pages.ts";

export interface Question {
  readonly body: Omit<TableBody, "limit" | "offset" | "after">;
  /** So many of its columns are drawn; those behind them say more of these. */
  readonly drawn: number;
}

export type TablePages = RowPages<TableRow, TableReply>;

/** Rows and the question that they answer, which may be older than what is asked now. */
export interface Asked {
  readonly question: Question;
  readonly pages: TablePages;
}

/**
 * The rows of a question; undefined until the first have come. When the question changes, those of
 * the last one stay until its own are there, so that the table never blinks. A number that grows
 * asks the same anew.
 */
export function useTable(
  service: Service,
  question: Question | undefined,
  round: number,
): { shown: Asked | undefined; asked: Asked | undefined } {
  const { client, changes } = service;
  const text = question && JSON.stringify(question);
  const asked = useMemo(() => {
    if (question === undefined) return undefined;
    const pages: TablePages = new RowPages((offset, limit, signal) =>
      client.views.experiments({ ...question.body, offset, limit }, signal),
    );
    return { question, pages };
  }, [client, text, round]);
  const catchUp = useMemo(() => asked && new CatchUp(() => asked.pages.refresh()), [asked]);
  useEffect(
    () => () => {
      asked?.pages.stop();
      catchUp?.stop();
    },
    [asked],
  );
  const look = async (news: ChangesReply | undefined) => {
    if (asked === undefined) return;
    if (news !== undefined && asked.pages.rows.peek().size > 0) {
      // Their numbers at once; their order and metrics, which follow later, all together.
      asked.pages.apply(news.experiments);
      return catchUp?.owe();
    }
    // The rows themselves say what their problem is.
    if (!(await asked.pages.refresh())) throw new Error("The table could not be read.");
  };
  const seen = () =>
    (asked?.pages.seen.peek() ?? []).map(({ experimentId, revision }) => ({
      experimentId,
      revision,
    }));
  useChanges(service, { seen, look, opened: true }, [asked]);
  const followed = asked?.pages.seen.value.map(({ experimentId }) => experimentId).join();
  useEffect(() => changes.again(), [changes, followed]);
  const isBehind = (asked?.pages.reply.value?.behind ?? 0) > 0;
  useEffect(() => {
    if (isBehind) catchUp?.owe();
  }, [asked?.pages.reply.value]);
  const last = useRef<Asked>(undefined);
  if (asked?.pages.total.value !== undefined) last.current = asked;
  return { shown: last.current, asked };
}

/** It grows now and then, so that what says how old something is stays true. */
export function useMinuteHand(): void {
  const [, setTicks] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTicks((ticks) => ticks + 1), 10_000);
    return () => clearInterval(timer);
  }, []);
}
