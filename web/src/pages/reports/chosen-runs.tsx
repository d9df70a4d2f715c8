import { useState } from "preact/hooks";
import type { Service } from "../../signed-in.ts";
import { QueryField } from "../../query/query-field.tsx";
import { useAsked } from "../../query/use-asked.ts";
import { useFolderPath } from "../experiment/folder-path.ts";
import { PickRuns } from "./pick-runs.tsx";
import type { ReportBoard } from "./report-board.tsx";

interface Props {
  service: Service;
  board: ReportBoard;
  /** The folder in which a query of the block finds. */
  folderId: string | undefined;
  /** Undefined: those that the query finds. */
  ids: readonly string[] | undefined;
  /** Those of them that are known, with their names. */
  known: readonly { experimentId: string; slug: string; name: string | null }[];
  onChange: (ids: string[]) => void;
  /** For blocks that may find their experiments by a query instead. */
  query?: { text: string; onChange: (text: string) => void };
}

/** The experiments of a block: chosen from a list, or what a query finds. */
export function ChosenRuns({
  service,
  board,
  folderId = board.lastFolderId,
  ids,
  known,
  onChange,
  query,
}: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const asked = useAsked(service);
  const path = useFolderPath(folderId ?? null, () => board.folders(service));
  const folder = folderId === undefined ? undefined : { id: folderId, path };
  return (
    <>
      <div class="field chosen-runs whole" role="group" aria-label="Chosen experiments">
        {ids === undefined ? (
          <QueryField
            label="Experiments that a query finds"
            isLabelled
            placeholder="all"
            text={query?.text ?? ""}
            onText={(text) => query?.onChange(text)}
            {...asked}
          />
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
        <PickRuns
          {...{ service, folder, onChange }}
          chosen={ids ?? []}
          onClose={() => setIsOpen(false)}
        />
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
