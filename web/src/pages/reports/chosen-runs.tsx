import { useState } from "preact/hooks";
import type { Service } from "../../signed-in.ts";
import { PickRuns } from "./pick-runs.tsx";

interface Props {
  service: Service;
  ids: readonly string[];
  /** Those of them that are known, with their names. */
  known: readonly { experimentId: string; slug: string; name: string | null }[];
  onChange: (ids: string[]) => void;
}

/** The experiments of a block by name, chosen from a list. */
export function ChosenRuns({ service, ids, known, onChange }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const nameOf = (id: string) => {
    const found = known.find(({ experimentId }) => experimentId === id);
    return found?.name ?? found?.slug ?? "an experiment that is not there";
  };
  return (
    <div class="field chosen-runs" role="group" aria-label="Chosen experiments">
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
      <button type="button" onClick={() => setIsOpen(true)}>
        choose experiments…
      </button>
      {isOpen && (
        <PickRuns {...{ service, onChange }} chosen={ids} onClose={() => setIsOpen(false)} />
      )}
    </div>
  );
}
