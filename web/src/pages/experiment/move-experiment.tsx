import type { ExperimentRecord, FoldersReply } from "@lossless/client";
import { useEffect, useMemo, useState } from "preact/hooks";
import { messageOf } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import { Folders } from "../experiments/folder-lines.ts";
import { MoveDialog } from "../experiments/move-dialog.tsx";
import { move } from "../experiments/moves.ts";

interface Props {
  service: Service;
  record: ExperimentRecord;
  /** The name shown on the page. */
  name: string;
  onMoved: (said: string) => void;
  onClose: () => void;
}

/** Moves an experiment; the folders are read when the dialog opens. */
export function MoveExperiment({ service, record, name, onMoved, onClose }: Props) {
  const [reply, setReply] = useState<FoldersReply>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const stopped = new AbortController();
    service.client.views.folders(stopped.signal).then(setReply, (error: unknown) => {
      if (!stopped.signal.aborted) setProblem(messageOf(error));
    });
    return () => stopped.abort();
  }, [service]);
  const folders = useMemo(() => reply && new Folders(reply.folders), [reply]);
  const moveTo = async (folderId: string | null) => {
    const moved = { kind: "experiments", ids: [record.experimentId] } as const;
    onMoved(await move(service, moved, folderId, folders!.path(folderId)));
  };
  return (
    <MoveDialog
      folders={folders}
      problem={problem}
      title={`Move ${name}`}
      moved={undefined}
      onChoose={(folderId) => void moveTo(folderId)}
      onClose={onClose}
    />
  );
}
