import { EditConflictError, type EditReply, type ExperimentRecord } from "@lossless/client";
import type { Service } from "../signed-in.ts";
import { fewAtATime } from "./few-at-a-time.ts";
import { countedText, messageOf } from "./words.ts";

/** Attempts at an experiment whose value others change at the same time. */
const triesMax = 5;
/** Names in a sentence about failures. */
const namesMax = 3;

export type Edited = Pick<ExperimentRecord, "experimentId" | "slug" | "meta">;

/** A change of one key of metas. */
export interface MetaChange {
  key: string;
  /** The value after the change; undefined: none. The same value: nothing changes. */
  after: (before: unknown) => unknown;
  /** The values in sentences: "tags". */
  noun: string;
}

export interface MetasWritten {
  /** A sentence about the result, failures included. */
  words: string;
  replies: readonly EditReply[];
  /** Writes back the former values where the new ones still stand; undefined: nothing changed. */
  undo?: () => Promise<MetasWritten>;
}

/** A change of an experiment that was stored. */
interface Written {
  record: Edited;
  before: unknown;
  after: unknown;
  reply: EditReply;
}

/**
 * Changes one key of the metas of experiments, each by a conditional edit of its own. Where others
 * changed the value in the meantime, the change is applied to theirs.
 */
export async function writeMetas(
  { client }: Service,
  records: readonly Edited[],
  { key, after: valueAfter, noun }: MetaChange,
): Promise<MetasWritten> {
  const edited = ({ experimentId }: Edited, before: unknown, after: unknown) => {
    const values = {
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
    };
    return { experimentId, meta: [{ path: [key], ...values }] };
  };
  const edit = async (record: Edited): Promise<Written | undefined> => {
    let before = record.meta[key];
    for (let tries = 1; ; tries++) {
      const after = valueAfter(before);
      if (after === before) return undefined;
      try {
        const reply = await client.editExperiment(edited(record, before, after));
        return { record, before, after, reply };
      } catch (error) {
        const present = error instanceof EditConflictError ? error.present.meta?.[0] : undefined;
        if (present === undefined || tries === triesMax) throw error;
        before = present.value;
      }
    }
  };
  const outcomes = await fewAtATime(records, edit);
  const written = outcomes.flatMap((each) =>
    each.status === "fulfilled" && each.value !== undefined ? [each.value] : [],
  );
  const undo = async () => {
    const back = ({ record, before, after }: Written) =>
      client.editExperiment(edited(record, after, before));
    const outcomesBack = await fewAtATime(written, back);
    const undone = outcomesBack.filter(({ status }) => status === "fulfilled").length;
    const failed = failuresOf(
      written.map(({ record }) => record),
      outcomesBack,
    );
    return {
      words: `The former ${noun} of ${countedText(undone, "experiment")} were restored.${failed}`,
      replies: outcomesBack.flatMap((each) => (each.status === "fulfilled" ? [each.value] : [])),
    };
  };
  return {
    words: changedText(written.length, noun) + failuresOf(records, outcomes),
    replies: written.map(({ reply }) => reply),
    ...(written.length > 0 && { undo }),
  };
}

function changedText(experiments: number, noun: string): string {
  if (experiments === 0) return `No ${noun} were changed.`;
  const subject = noun[0].toUpperCase() + noun.slice(1);
  return `${subject} of ${countedText(experiments, "experiment")} were changed.`;
}

/** Names the experiments that failed, with the first reason; empty: none did. */
function failuresOf(
  records: readonly Edited[],
  outcomes: readonly PromiseSettledResult<unknown>[],
): string {
  const failed = outcomes.flatMap((each, at) =>
    each.status === "rejected" ? [{ slug: records[at].slug, reason: messageOf(each.reason) }] : [],
  );
  if (failed.length === 0) return "";
  const names = failed.slice(0, namesMax).map(({ slug }) => slug);
  const more = failed.length - names.length;
  const listed = names.join(", ") + (more > 0 ? ` and ${more} more` : "");
  return ` Not those of ${listed}: ${failed[0].reason}`;
}
