import { useState } from "preact/hooks";
import { Labelled } from "../../parts/labelled.tsx";
import type { Service } from "../../signed-in.ts";
import { PickRuns } from "./pick-runs.tsx";

interface Props {
  service: Service;
  /** Undefined: those that the query finds. */
  ids: readonly string[] | undefined;
  /** Those of them that are known, with their names. */
  known: readonly { experimentId: string; slug: string; name: string | null }[];
  onChange: (ids: string[]) => void;
  /** For blocks that may find their experiments by a query instead. */
  query?: { text: string; onChange: (text: string) => void };
}

/** The experiments of a block: chosen from a list, or what a query finds. */
export function ChosenRuns({ service, ids, known, onChange, query }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <div class="field chosen-runs" role="group" aria-label="Chosen experiments">
        {ids === undefined ? (
          <Labelled label="Experiments that a query finds">
            <input
              value={query?.text ?? ""}
              placeholder="all"
              onInput={(event) => query?.onChange(event.currentTarget.value)}
            />
          </Labelled>
        ) : (
          <PickedRuns {...{ ids, known, onChange }} />
        )}
        <div class="choices">
          <button type="button" onClick={() => setIsOpen(true)}>
            choose experiments…
          </button>
          {ids !== undefined && query !== undefined && (
            <button type="button" onClick={() => query.onChange("")}>
              find by a query
            </button>
          )}
        </div>
      </div>
      {isOpen && (
        <PickRuns {...{ service, onChange }} chosen={ids ?? []} onClose={() => setIsOpen(false)} />
      )}
    </>
  );
}

function PickedRuns({
  ids,
  known,
  onChange,
}: Pick<Props, "known" | "onChange"> & { ids: readonly string[] }) {
  const nameOf = (id: string) => {
    const found = known.find(({ experimentId }) => experimentId === id);
    return found?.name ?? found?.slug ?? "an experiment that is not there";
  };
  return (
    <>
      Experiments
      <ul class="picked">
        {ids.map((id) => (
          <li key={id}>
            {nameOf(id)}
            <button
              type="button"
              aria-label={`Remove ${nameOf(id)}`}
              onClick={() => onChange(ids.filter((each) => each !== id))}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
