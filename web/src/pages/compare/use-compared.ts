import { RequestError, type ChangesReply, type EditReply } from "@lossless/client";
import type { TableReply, TableRow } from "@lossless/protocol";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { chosenColour, kindsOf, type Kind } from "../../chart/lines/colours.ts";
import type { Cut } from "../../chart/cut.ts";
import { useChanges } from "../../parts/use-changes.ts";
import type { Service } from "../../signed-in.ts";
import { CatchUp } from "../experiments/catch-up.ts";
import { withColour } from "../experiments/written-metas.ts";
import { comparedMax, questionOf, type Selection, type CompareAddress } from "./compare-address.ts";

export interface ComparedExperiment extends TableRow {
  /** The look of its lines, the same on every chart. */
  kind: Kind;
  isHidden: boolean;
}

export interface Compared {
  /** In order, including hidden ones. */
  experiments: readonly ComparedExperiment[];
  /** The one that others are compared with: the first, unless another was chosen. */
  reference: ComparedExperiment | undefined;
  /** Set where more experiments are found than are compared. */
  cut: Cut | undefined;
  /** Ids that are no experiment of this organization. */
  unknown: readonly string[];
}

/** Rows with their question, kept until those of a new question arrive. */
interface SelectionRows {
  asked: Selection;
  reply: TableReply;
}

export interface FollowedCompared {
  /** Undefined until read, and where the service refuses the question. */
  compared: Compared | undefined;
  /** Why the service always refuses this question: an invalid query. */
  refusal: string | undefined;
}

/**
 * Follows the compared experiments: their states at once, and new results of the query with some
 * delay.
 */
export function useCompared(
  service: Service,
  { asked, hidden, reference }: Omit<CompareAddress, "marked">,
  edited: readonly EditReply[] = [],
): FollowedCompared {
  const [read, setRead] = useState<SelectionRows>();
  const [refused, setRefused] = useState<{ text: string | undefined; refusal: string }>();
  const latest = useRef(asked);
  latest.current = asked;
  const text = asked && JSON.stringify(asked);
  const look = async () => {
    const wanted = latest.current;
    if (wanted === undefined) return;
    let reply: TableReply;
    try {
      reply = await service.client.views.experiments(questionOf(wanted));
    } catch (error) {
      if (!(error instanceof RequestError) || error.status !== 400) throw error;
      return setRefused({ text: JSON.stringify(wanted), refusal: error.message });
    }
    if (latest.current === wanted || JSON.stringify(latest.current) === JSON.stringify(wanted))
      setRead({ asked: wanted, reply });
  };
  const catchUp = useMemo(
    () =>
      new CatchUp(() =>
        look().then(
          () => true,
          () => false,
        ),
      ),
    [service, text],
  );
  useEffect(() => () => catchUp.stop(), [catchUp]);
  useChanges(
    service,
    {
      seen: () => (read?.reply.rows ?? []).map(seenOf),
      look: async (news) => {
        if (news === undefined || read === undefined) return look();
        setRead((before) => before && { ...before, reply: changed(before.reply, news) });
        catchUp.owe();
      },
      opened: asked?.kind === "query",
    },
    [text],
  );
  const rows = read?.reply.rows;
  const followed = rows?.map(({ experimentId }) => experimentId).join();
  useEffect(() => service.changes.again(), [service, followed]);
  // Values that a query tests may follow later than the experiment itself.
  const isBehind = read?.asked.kind === "query" && read.reply.behind > 0;
  useEffect(() => {
    if (isBehind) catchUp.owe();
  }, [read?.reply]);
  const compared = useMemo(
    () => read && comparedOf(withEdited(read, edited), asked, hidden, reference),
    [read, text, [...hidden].join(), reference, edited],
  );
  const refusal = refused?.text === text ? refused?.refusal : undefined;
  return { compared: refusal === undefined ? compared : undefined, refusal };
}

function seenOf({ experimentId, revision }: TableRow) {
  return { experimentId, revision };
}

/** Applies a change to the rows at once. */
function changed(reply: TableReply, { experiments }: ChangesReply): TableReply {
  const byId = new Map(experiments.map((one) => [one.experimentId, one]));
  const rows = reply.rows.map((row) => ({ ...row, ...byId.get(row.experimentId) }));
  return { ...reply, rows };
}

/** Rows with the colours that this page gave them, which metas follow some seconds behind. */
function withEdited(read: SelectionRows, edited: readonly EditReply[]): SelectionRows {
  if (edited.length === 0) return read;
  const byId = new Map(edited.map((one) => [one.experimentId, one]));
  const rows = read.reply.rows.map((row) => {
    const own = byId.get(row.experimentId);
    const isNews = own !== undefined && own.updatedAtMs >= row.updatedAtMs;
    return isNews ? withColour(row, chosenColour(own.meta)) : row;
  });
  return { ...read, reply: { ...read.reply, rows } };
}

/** Removed experiments disappear at once, before the others are read again. */
function comparedOf(
  { asked: answered, reply }: SelectionRows,
  asked: Selection | undefined,
  hidden: ReadonlySet<string>,
  reference: string | undefined,
): Compared {
  const ids = asked?.kind === "ids" && answered.kind === "ids" ? asked.ids : undefined;
  const rows = ids === undefined ? reply.rows : inOrder(reply.rows, ids);
  const colours = rows.map(({ experimentId, colour = 0 }) => [experimentId, colour] as const);
  const kinds = kindsOf(
    colours.map(([id]) => id),
    new Map(colours),
  );
  const experiments = rows.map((row) => ({
    ...row,
    kind: kinds.get(row.experimentId)!,
    isHidden: hidden.has(row.experimentId),
  }));
  const total = ids?.length ?? reply.total;
  const known = new Set(rows.map(({ experimentId }) => experimentId));
  return {
    experiments,
    reference: experiments.find(({ experimentId }) => experimentId === reference) ?? experiments[0],
    cut: total > comparedMax ? { shown: comparedMax, of: total } : undefined,
    unknown: (ids ?? [])
      .slice(0, comparedMax)
      .filter((id) => wasAsked(answered, id) && !known.has(id)),
  };
}

function wasAsked(answered: Selection, id: string): boolean {
  return answered.kind === "ids" && answered.ids.includes(id);
}

function inOrder(rows: readonly TableRow[], ids: readonly string[]): TableRow[] {
  const byId = new Map(rows.map((row) => [row.experimentId, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
