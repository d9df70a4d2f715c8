import type { ChangesReply } from "@lossless/client";
import type { TableBody, TableReply, TableRow } from "@lossless/protocol";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Undecided } from "../../parts/undecided.ts";
import { useChanges } from "../../parts/use-changes.ts";
import type { Service } from "../../signed-in.ts";
import { CatchUp } from "./catch-up.ts";
import type { Offered } from "./offered-columns.ts";
import { RowPages } from "./row-pages.ts";

export interface Question {
  readonly body: Omit<TableBody, "limit" | "offset" | "after">;
  /** Number of columns that may be drawn; further ones add details to these. */
  readonly drawn: number;
  /** The ones of which the rows decide, where nobody chose columns. */
  readonly offered?: Offered;
}

export type TablePages = RowPages<TableRow, TableReply>;

/** Rows and the question that they answer, which may be older than the current one. */
export interface TableQuestion {
  readonly question: Question;
  readonly pages: TablePages;
}

const shownName = "table";

/**
 * The rows of a question; undefined until the first are read. When the question changes, the old
 * rows stay until new ones arrive, so that the table does not flicker; likewise when somebody comes
 * back to the page with the same question. A growing number asks the same question again.
 */
export function useTable(
  service: Service,
  question: Question | undefined,
  round: number,
): { shown: TableQuestion | undefined; asked: TableQuestion | undefined } {
  const { client, changes, shown } = service;
  const text = question && JSON.stringify(question);
  const last = useRef<TableQuestion>(undefined);
  const asked = useMemo(() => {
    if (question === undefined) return undefined;
    const pages: TablePages = new RowPages((offset, limit, signal) =>
      client.views.experiments({ ...question.body, offset, limit }, signal),
    );
    const before = shown.get(shownName) as TableQuestion | undefined;
    const isBack = last.current === undefined && JSON.stringify(before?.question) === text;
    if (!isBack || before === undefined) return { question, pages };
    // Somebody comes back: the rows of before stay until these are there, at the same place.
    last.current = before;
    pages.showAs(before.pages);
    return { question: before.question, pages };
  }, [client, text, round]);
  const catchUp = useMemo(() => asked && new CatchUp(() => asked.pages.refresh()), [asked]);
  useEffect(
    () => () => {
      asked?.pages.stop();
      catchUp?.stop();
    },
    [asked],
  );
  const undecided = useMemo(() => new Undecided(), []);
  const look = async (news: ChangesReply | undefined) => {
    if (asked === undefined) return;
    if (news !== undefined && asked.pages.rows.peek().size > 0) {
      // Counts are applied at once; order and metrics, which follow later, are read together.
      asked.pages.apply(news.experiments);
      return catchUp?.owe();
    }
    // The rows themselves report their problem.
    if (!(await asked.pages.refresh())) throw new Error("The table could not be loaded.");
  };
  const seen = () =>
    (asked?.pages.seen.peek() ?? []).map((row) => ({
      experimentId: row.experimentId,
      revision: undecided.revisionOf(row),
    }));
  useChanges(service, { seen, look, opened: true }, [asked]);
  const followed = asked?.pages.seen.value.map(({ experimentId }) => experimentId).join();
  useEffect(() => changes.again(), [changes, followed]);
  const isBehind = (asked?.pages.reply.value?.behind ?? 0) > 0;
  useEffect(() => {
    if (isBehind) catchUp?.owe();
  }, [asked?.pages.reply.value]);
  if (asked?.pages.total.value !== undefined) {
    last.current = asked;
    shown.set(shownName, asked);
  }
  return { shown: last.current, asked };
}

/** Redraws regularly, so that ages stay correct. */
export function useMinuteHand(): void {
  const [, setTicks] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTicks((ticks) => ticks + 1), 10_000);
    return () => clearInterval(timer);
  }, []);
}
