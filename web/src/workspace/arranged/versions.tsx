import type { WorkspaceVersionsReply } from "@lossless/client";
import { useEffect, useState } from "preact/hooks";
import { Dialog } from "../../parts/dialog.tsx";
import { messageOf, timeText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import type { ChartsWorkspace } from "../use-workspace.ts";

interface Props {
  service: Service;
  workspace: ChartsWorkspace;
  onClose: () => void;
}

/** Versions of the shown workspace: one is shown again, and taken back by saving it. */
export function Versions({ service, workspace: { shown, edit }, onClose }: Props) {
  const [versions, setVersions] = useState<WorkspaceVersionsReply["versions"]>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    service.client.workspaces
      .versions(shown!.id)
      .then(setVersions, (error: unknown) => setProblem(messageOf(error)));
  }, [service, shown?.id]);
  return (
    <Dialog title="Earlier versions" onClose={onClose}>
      {problem !== undefined && <p role="alert">{problem}</p>}
      <p>A version that you show is not saved until you save it.</p>
      <ul class="reports">
        {(versions ?? []).map(({ revision, changedAtMs, changedBy, layout }) => (
          <li key={revision}>
            <button type="button" onClick={() => (edit(layout), onClose())}>
              show version {revision}
            </button>
            <span class="count">
              {changedBy}, {timeText(changedAtMs)}
              {revision === shown?.revision && ", saved now"}
            </span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
