import type { FieldsBody, FieldsReply } from "@lossless/protocol";
import { type Completions, completions } from "@lossless/protocol/query-completion";
import { fieldText } from "@lossless/protocol/query-field";
import { useEffect, useState } from "preact/hooks";
import { isOfTools } from "../chart/groups/keys.ts";

export type AskFields = (body: FieldsBody, signal: AbortSignal) => Promise<FieldsReply>;

export interface Choice {
  text: string;
  /** Number of experiments; undefined for completions by the language itself. */
  experiments?: number;
  isMinimum?: boolean;
}

const shownMax = 12;
/** More than are shown: those that stand behind others come first by name. */
const askedMax = 60;
/** Milliseconds after a key before the service is asked: another key may follow. */
const pauseMs = 80;

/** Completions at the caret: at once those of the language, then those of the service. */
export function useCompletions(query: string, caret: number, isOpen: boolean, ask: AskFields) {
  const at = isOpen ? completions(query, caret) : undefined;
  const question = at?.ask && JSON.stringify(bodyOf(at.ask));
  const [known, setKnown] = useState<{ question: string; choices: Choice[] }>();
  useEffect(() => {
    if (question === undefined) return;
    const stopped = new AbortController();
    const timer = setTimeout(async () => {
      const reply = await ask(JSON.parse(question) as FieldsBody, stopped.signal).catch(noAnswer);
      if (!stopped.signal.aborted) setKnown({ question, choices: choicesOf(reply) });
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      stopped.abort();
    };
  }, [question, ask]);
  const asked = known !== undefined && known.question === question ? known.choices : [];
  const offers = at?.offers.map((text) => ({ text })) ?? [];
  return { ...(at && { start: at.start, end: at.end }), choices: [...offers, ...asked] };
}

function bodyOf(ask: NonNullable<Completions["ask"]>): FieldsBody {
  const { text } = ask;
  return { text, limit: askedMax, ...(ask.kind === "values" && { field: fieldText(ask.field) }) };
}

function choicesOf({ fields, values }: FieldsReply): Choice[] {
  const others = fields.filter((one) => !isOfClients(one));
  return [
    ...[...others, ...fields.filter(isOfClients)].map(({ field, ...counted }) => ({
      text: field,
      ...counted,
    })),
    ...values.map(({ text, experiments, isMinimum }) => ({ text, experiments, isMinimum })),
  ].slice(0, shownMax);
}

/** Keys that tools write by themselves stand behind all others. */
export function isOfClients({ field }: Pick<FieldsReply["fields"][number], "field">): boolean {
  return isOfTools(field);
}

/** Completing is optional: without a reply there are fewer completions. */
function noAnswer(): FieldsReply {
  return { fields: [], values: [], isWhole: true };
}
