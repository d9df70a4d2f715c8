import type { LoggedTextsReply } from "@lossless/client";
import { useEffect, useState } from "preact/hooks";
import { countText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import { TextView } from "../items/text.tsx";
import { metadataText } from "../logged-series.ts";
import type { MediaExperiment } from "../media-experiment.ts";
import { RunName } from "../run-name.tsx";
import { stateAt, type TextState } from "./text-segments.ts";

type Lane = LoggedTextsReply["lanes"][number];

interface Props {
  service: Service;
  experiments: readonly MediaExperiment[];
  name: string;
  lane: Lane;
  /** Undefined: the newest. */
  step: number | undefined;
}

/** Milliseconds of rest after which a long text is read: whoever slides does not read it. */
const restMs = 120;

/** The whole text that holds at the step: the last that was logged until then. */
export function HeldText({ service, experiments, name, lane, step }: Props) {
  const { experimentId, metadata, states } = lane;
  const state = step === undefined ? states.at(-1)! : stateAt(states, step);
  const whole = useWholeText(service, lane, name, state);
  if (state === undefined) return null;
  const label = `${name}, step ${countText(state.step)}`;
  const text = whole ?? `${state.text}…`;
  return (
    <section class="run" aria-label={label} aria-busy={whole === undefined}>
      <RunName
        {...{ experiments, experimentId, metadata }}
        note={`step ${countText(state.step)}`}
      />
      <TextView text={text} label={label} />
    </section>
  );
}

/** The text of a state; undefined until it is read, as states have the beginning of long ones. */
function useWholeText(
  { client }: Service,
  { experimentId, metadata }: Lane,
  name: string,
  state: TextState | undefined,
): string | undefined {
  const [read, setRead] = useState<{ key: string; text: string }>();
  const own = metadataText(metadata);
  const key = `${experimentId} ${state?.step ?? ""} ${own}`;
  const isCut = state?.isCut === true;
  useEffect(() => {
    if (state === undefined || !isCut) return;
    const stopped = new AbortController();
    const { step: start } = state;
    const find = async () => {
      const asked = { experimentIds: [experimentId], kind: "text" as const, name };
      const range = { start, end: start + 1 };
      for await (const items of client.logged.allItems({ ...asked, ...range }, stopped.signal)) {
        const found = items.findLast((item) => metadataText(item.metadata) === own);
        if (found?.text !== undefined) setRead({ key, text: found.text });
      }
    };
    // Its beginning is shown without it.
    const timer = setTimeout(() => void find().catch(() => undefined), restMs);
    return () => (clearTimeout(timer), stopped.abort());
  }, [client, key, isCut, name]);
  if (state === undefined || !isCut) return state?.text;
  return read?.key === key ? read.text : undefined;
}
