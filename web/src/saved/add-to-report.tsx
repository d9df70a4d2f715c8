import { SavedConflictError, type ReportBlock, type ReportsReply } from "@lossless/client";
import { useEffect, useState } from "preact/hooks";
import { Dialog } from "../parts/dialog.tsx";
import { persistently } from "../parts/persistently.ts";
import { useAct } from "../parts/use-act.ts";
import type { Service } from "../signed-in.ts";
import { SaveDialog } from "./save-dialog.tsx";

interface Props {
  service: Service;
  block: ReportBlock;
  onClose: () => void;
}

/**
 * Attempts at most: after a conflicting change the report is read again, and the chart added to the
 * new state.
 */
const triesMax = 5;

/** Chooses the report to whose end a chart is added. */
export function AddToReport({ service, block, onClose }: Props) {
  const { reports } = service.client;
  const [found, setFound] = useState<ReportsReply["reports"]>();
  const [isNew, setIsNew] = useState(false);
  const { isBusy, problem, act, setProblem } = useAct();
  const [added, setAdded] = useState<{ id: string; name: string }>();
  useEffect(() => {
    const stopped = new AbortController();
    const read = async () =>
      setFound(await persistently((signal) => reports.list(signal), stopped.signal, setProblem));
    void read();
    return () => stopped.abort();
  }, [service]);
  const add = async (id: string) => {
    for (let tries = 1; ; tries++) {
      const report = await reports.read(id);
      try {
        setAdded(await reports.change(report, { blocks: [...report.blocks, block] }));
        return;
      } catch (error) {
        if (!(error instanceof SavedConflictError) || tries === triesMax) throw error;
      }
    }
  };
  if (isNew)
    return (
      <SaveDialog
        title="New report with this chart"
        action="Create"
        onSave={async (given) => {
          setAdded(await reports.create({ ...given, blocks: [block] }));
        }}
        onClose={() => setIsNew(false)}
      />
    );
  return (
    <Dialog title="Add to a report" onClose={onClose}>
      {added !== undefined ? (
        <p role="status">
          Added to <a href={`/reports/${added.id}`}>{added.name}</a>.
        </p>
      ) : (
        <>
          {problem !== undefined && <p role="alert">{problem}</p>}
          {found?.length === 0 && <p>There are no reports yet. The chart can begin one.</p>}
          <ul class="reports">
            {(found ?? []).map(({ id, name, scope }) => (
              <li key={id}>
                <button type="button" disabled={isBusy} onClick={() => void act(() => add(id))}>
                  {name}
                </button>
                <span class="count">{scope === "own" ? "yours" : "shared"}</span>
              </li>
            ))}
          </ul>
          <button type="button" class="strong" disabled={isBusy} onClick={() => setIsNew(true)}>
            + report
          </button>
        </>
      )}
    </Dialog>
  );
}
