import type { Report } from "@lossless/client";
import { useMemo, useState } from "preact/hooks";
import type { PageProps } from "../../page.ts";
import { DraftBlocks } from "./editing/draft-blocks.tsx";
import { LeaveQuestion, useWarning } from "./editing/leaving.tsx";
import { keptDraft, useKeptDraft } from "./editing/kept-draft.ts";
import { useDraft } from "./editing/use-draft.ts";
import { useOpenBlock } from "./editing/use-open-block.ts";
import { useKeys, useSaving } from "./editing/use-saving.ts";
import { useTakenPictures } from "./editing/use-taken-pictures.ts";
import { WritingBar } from "./editing/writing-bar.tsx";
import type { ReportPictures } from "./pictures/report-pictures.ts";
import { MarksReader, ReportBoard } from "./report-board.tsx";
import { blocksOf, lastFolderOf } from "./report-draft.ts";

interface Props extends PageProps {
  report: Report;
  pictures: ReportPictures;
  /** Called with whether nothing was written since the request, so that the editor can close. */
  onSaved: (report: Report, isDone: boolean) => void;
  onClose: () => void;
}

/** Edits a report in its place. Changes are saved on request only. */
export function ReportEditor({ service, location, report, pictures, onSaved, onClose }: Props) {
  const [kept, setKept] = useState(() => keptDraft(report.id));
  const [name, setName] = useState(kept?.name ?? report.name);
  const draft = useDraft(kept?.blocks ?? report.blocks);
  const { blocks } = draft;
  const opened = useOpenBlock(draft.end);
  const board = useMemo(() => new ReportBoard(), []);
  board.lastFolderId = lastFolderOf(blocks);
  const isChanged =
    name.trim() !== report.name ||
    JSON.stringify(blocksOf(blocks)) !== JSON.stringify(report.blocks);
  const [leave, setLeave] = useState<() => void>();
  useWarning(location, isChanged, (go) => setLeave(() => go));
  const seen = kept?.revision ?? report.revision;
  useKeptDraft(report.id, isChanged && { revision: seen, name, blocks });
  const saved = (made: Report, isDone: boolean) => {
    setKept(undefined);
    onSaved(made, isDone);
  };
  const saving = { report, seen, name, draft: blocks, pictures, onSaved: saved };
  const { save, problem, isSaving, setProblem } = useSaving(service, saving);
  const taken = useTakenPictures(pictures, draft, setProblem);
  // After the click, which leaves the block that is open.
  const saveAll = () => void save().then((missing) => setTimeout(() => opened.open(missing)));
  useKeys({ save: saveAll, undo: draft.undo, redo: draft.redo });
  return (
    <div class="editing">
      <WritingBar
        {...{ isSaving, isChanged, problem, draft }}
        onSave={saveAll}
        onCancel={() => (isChanged ? setLeave(() => onClose) : onClose())}
      />
      <textarea
        class="title"
        aria-label="Name of the report"
        rows={1}
        value={name}
        maxLength={128}
        onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        onInput={(event) => setName(event.currentTarget.value.replaceAll("\n", " "))}
      />
      {kept !== undefined && isChanged && (
        <p class="count" role="status">
          What you wrote here and did not save is back.{" "}
          <button
            type="button"
            onClick={() => {
              setKept(undefined);
              setName(report.name);
              draft.change(report.blocks.map(draft.made));
            }}
          >
            Discard it
          </button>
        </p>
      )}
      <MarksReader {...{ service, board }} />
      {leave !== undefined && <LeaveQuestion leave={leave} onClose={() => setLeave(undefined)} />}
      <DraftBlocks {...{ service, board, draft, opened, taken }} />
    </div>
  );
}
