import type { MediaBlock } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { Labelled } from "../../parts/labelled.tsx";
import { TypedNumber } from "../../parts/typed-number.tsx";
import { useRead } from "../../parts/use-read.ts";
import type { Service } from "../../signed-in.ts";
import { useCompared } from "../compare/use-compared.ts";
import { askedBy } from "./chart-block.ts";
import { withIds, withLive } from "./chosen-block.ts";
import { ChosenRuns } from "./chosen-runs.tsx";
import { LiveFields } from "./live-fields.tsx";
import { useFirst } from "./use-first.ts";
import { MoreSettings } from "./more-settings.tsx";
import type { ReportBoard } from "./report-board.tsx";
import { mediaWords } from "./set-words.ts";

interface Props {
  service: Service;
  board: ReportBoard;
  block: MediaBlock;
  /** The block as it is shown meanwhile, with the last query that can be read. */
  drawn: MediaBlock;
  /** Whether it was made just now: then it begins with what they logged first. */
  isNew: boolean;
  onFirst: (first: LoggedName) => void;
  onChange: (block: MediaBlock) => void;
}

/** A name under which experiments logged something, and its kind. */
export interface LoggedName {
  kind: MediaBlock["media"];
  name: string;
}

/** Chooses experiments, what they logged, and the step. */
export function MediaFields(props: Props) {
  const { service, board, block, drawn, isNew, onFirst, onChange } = props;
  const { name, title, limit = limits.reportMediaRunsUsual } = block;
  const { compared } = useCompared(service, askedBy(drawn));
  const experiments = compared?.experiments ?? [];
  const isLive = block.experimentIds === undefined;
  const experimentIds = (isLive ? experiments.slice(0, limit) : experiments).map(
    ({ experimentId }) => experimentId,
  );
  const { found, problem } = useRead(
    async (stopped) =>
      experimentIds.length === 0
        ? undefined
        : service.client.logged.names({ experimentIds }, stopped),
    [experimentIds],
  );
  const names = (found?.series ?? []).filter(({ kind }) => kind !== "text" && kind !== "histogram");
  const first = names.find(({ kind }) => kind === "image") ?? names[0];
  useFirst(isNew && name === "", first, onFirst);
  return (
    <div class="block-fields">
      <ChosenRuns
        {...{ service, board, folderId: block.folderId, known: experiments }}
        ids={block.experimentIds}
        onChange={(next) => onChange(withIds(withoutLimit(block), next))}
        query={{
          text: block.query ?? "",
          onChange: (query) => onChange(withLive(block, { query })),
        }}
      />
      <NameField {...{ block, names, onChange }} />
      <CountFields {...{ block, onChange }} />
      <Labelled label="Title">
        <input
          value={title}
          placeholder={name}
          maxLength={128}
          onInput={(event) => onChange({ ...block, title: event.currentTarget.value })}
        />
      </Labelled>
      {isLive && (
        <MoreSettings set={mediaWords(block)}>
          <LiveFields
            {...{ service, board, block, onChange }}
            label="Sort by; the first are shown"
          />
        </MoreSettings>
      )}
      {problem !== undefined && <p role="alert">{problem}</p>}
    </div>
  );
}

function withoutLimit(block: MediaBlock): MediaBlock {
  const { limit: _, ...rest } = block;
  return rest;
}

interface NameFieldProps extends Pick<Props, "block" | "onChange"> {
  names: readonly LoggedName[];
}

function NameField({ block, names, onChange }: NameFieldProps) {
  const { media, name } = block;
  const at = names.findIndex((one) => one.kind === media && one.name === name);
  return (
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
  );
}

/** The number of experiments that are shown, and the step. */
function CountFields({ block, onChange }: Pick<Props, "block" | "onChange">) {
  const { step, limit = limits.reportMediaRunsUsual } = block;
  return (
    <>
      {block.experimentIds === undefined && (
        <Labelled label="Experiments shown, of those found">
          <TypedNumber
            value={limit}
            min={1}
            max={limits.reportExperimentsMax}
            onType={(next = 1) => onChange({ ...block, limit: next })}
          />
        </Labelled>
      )}
      <Labelled label="Step; empty: the newest">
        <TypedNumber
          value={step}
          min={0}
          onType={(next) => {
            const { step: _, ...rest } = block;
            onChange(next === undefined ? rest : { ...rest, step: next });
          }}
        />
      </Labelled>
    </>
  );
}
