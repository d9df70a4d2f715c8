import type { MediaBlock } from "@lossless/protocol";
import { Labelled } from "../../parts/labelled.tsx";
import { useRead } from "../../parts/use-read.ts";
import type { Service } from "../../signed-in.ts";
import { useCompared } from "../compare/use-compared.ts";
import { ChosenRuns } from "./chosen-runs.tsx";

interface Props {
  service: Service;
  block: MediaBlock;
  onChange: (block: MediaBlock) => void;
}

/** Chooses experiments, what they logged, and the step. */
export function MediaFields({ service, block, onChange }: Props) {
  const { experimentIds, media, name, step, title } = block;
  const ids = experimentIds.length === 0 ? [""] : experimentIds;
  const asked = { kind: "ids" as const, ids };
  const { compared } = useCompared(service, { asked, hidden: new Set(), reference: undefined });
  const { found, problem } = useRead(
    async (stopped) =>
      experimentIds.length === 0
        ? undefined
        : service.client.logged.names({ experimentIds }, stopped),
    [experimentIds],
  );
  const names = (found?.series ?? []).filter(({ kind }) => kind !== "text" && kind !== "histogram");
  const at = names.findIndex((one) => one.kind === media && one.name === name);
  return (
    <div class="block-fields">
      <ChosenRuns
        {...{ service, ids: experimentIds, known: compared?.experiments ?? [] }}
        onChange={(next) => onChange({ ...block, experimentIds: next })}
      />
      <Labelled label="What they logged">
        <select
          value={at < 0 ? "" : `${at}`}
          onChange={(event) => {
            const chosen = names[Number(event.currentTarget.value)];
            if (chosen !== undefined) onChange({ ...block, media: chosen.kind, name: chosen.name });
          }}
        >
          {at < 0 && <option value="">{name === "" ? "choose …" : name}</option>}
          {names.map((one, index) => (
            <option key={index} value={`${index}`}>
              {one.name} ({one.kind})
            </option>
          ))}
        </select>
      </Labelled>
      <Labelled label="Title">
        <input
          value={title}
          placeholder={name}
          maxLength={128}
          onInput={(event) => onChange({ ...block, title: event.currentTarget.value })}
        />
      </Labelled>
      <Labelled label="Step; empty: the newest">
        <input
          type="number"
          min={0}
          value={step ?? ""}
          onChange={(event) => {
            const { step: _, ...rest } = block;
            const next = Math.round(Number(event.currentTarget.value || NaN));
            onChange(next >= 0 ? { ...rest, step: next } : rest);
          }}
        />
      </Labelled>
      {problem !== undefined && <p role="alert">{problem}</p>}
    </div>
  );
}
