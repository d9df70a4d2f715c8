import type { Report } from "@lossless/client";
import { useEffect, useRef, useState } from "preact/hooks";
import type { PathProps } from "../../page.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { messageOf, timeText } from "../../parts/words.ts";
import { SaveDialog, type NameAndScope } from "../../saved/save-dialog.tsx";
import type { Service } from "../../signed-in.ts";
import { exportReport } from "./exported/export-report.ts";
import { ReportBlocks, type ShownCharts } from "./report-blocks.tsx";
import { ReportEditor } from "./report-editor.tsx";

/** `/reports/{reportId}` */
export function ReportPage({ id, service, location }: PathProps) {
  const [report, setReport] = useState<Report>();
  const [problem, setProblem] = useState<string>();
  const [opened, setOpened] = useState<"rename" | "delete">();
  const sheet = useRef<HTMLElement>(null);
  const shown = useRef<ShownCharts>(new Map());
  const isEdited = location.parameter("edit") !== undefined;
  const read = () =>
    service.client.reports.read(id).then(setReport, (error: unknown) => {
      setProblem(messageOf(error));
    });
  useEffect(() => void read(), [id]);
  useEffect(() => {
    document.title = `${report?.name ?? "Report"} · Lossless`;
  }, [report?.name]);
  if (report === undefined) return <p class="waiting">{problem ?? "Reading the report …"}</p>;
  const edit = (isOn: boolean) => location.change({ edit: isOn ? "1" : undefined }, true);
  return (
    <main class="report">
      {!isEdited && (
        <Actions
          onEdit={() => edit(true)}
          onExport={() =>
            saveFile(exportReport(service, report, sheet.current!, shown.current), report.name)
          }
          onRename={() => setOpened("rename")}
          onDelete={() => setOpened("delete")}
        />
      )}
      <article class="sheet" ref={sheet}>
        <h1>{report.name}</h1>
        <p class="facts">
          <span>
            {report.scope === "own" ? "only you see it" : "everybody in the organization sees it"}
          </span>
          <span>
            changed by {report.changedBy} on {timeText(report.changedAtMs)}
          </span>
        </p>
        {isEdited ? (
          <ReportEditor
            {...{ service, report }}
            onSaved={(saved) => (setReport(saved), edit(false))}
            onClose={() => (void read(), edit(false))}
          />
        ) : (
          <ReportBlocks service={service} blocks={report.blocks} shown={shown.current} />
        )}
        {!isEdited && report.blocks.length === 0 && <p>Nothing is in it yet: Edit begins it.</p>}
      </article>
      <Dialogs
        {...{ service, report, opened }}
        onReport={setReport}
        onRead={() => void read()}
        onGone={() => location.open("/reports")}
        onClose={() => setOpened(undefined)}
      />
    </main>
  );
}

interface DialogsProps {
  service: Service;
  report: Report;
  opened: "rename" | "delete" | undefined;
  onReport: (report: Report) => void;
  onRead: () => void;
  onGone: () => void;
  onClose: () => void;
}

function Dialogs({ service, report, opened, onReport, onRead, onGone, onClose }: DialogsProps) {
  const { reports } = service.client;
  const isOthers = report.scope === "shared" && report.createdBy !== service.session.person.email;
  if (opened === "delete")
    return (
      <DeleteDialog
        report={report}
        onDelete={() => reports.delete(report).then(onGone)}
        onClose={onClose}
      />
    );
  if (opened === undefined) return null;
  const save = (given: NameAndScope) =>
    reports.change(report, given).then(onReport, (error: unknown) => {
      onRead();
      throw error;
    });
  return (
    <SaveDialog
      title={`Rename or share ${report.name}`}
      action="Save"
      given={report}
      isScopeFixed={isOthers}
      onSave={save}
      onClose={onClose}
    />
  );
}

interface ActionsProps {
  onEdit: () => void;
  onExport: () => Promise<string>;
  onRename: () => void;
  onDelete: () => void;
}

function Actions({ onEdit, onExport, onRename, onDelete }: ActionsProps) {
  const [said, setSaid] = useState("");
  const [isAtWork, setIsAtWork] = useState(false);
  const save = async () => {
    setIsAtWork(true);
    setSaid("Reading what the charts show …");
    setSaid(await onExport().catch(messageOf));
    setIsAtWork(false);
  };
  return (
    <div class="actions bar-of-report" role="group" aria-label="Report">
      <a href="/reports">All reports</a>
      <button type="button" class="strong" onClick={onEdit}>
        Edit
      </button>
      <button type="button" onClick={() => window.print()}>
        Print
      </button>
      <button type="button" disabled={isAtWork} onClick={() => void save()}>
        Save as a file
      </button>
      <button type="button" onClick={onRename}>
        Rename or share…
      </button>
      <button type="button" onClick={onDelete}>
        Delete…
      </button>
      <span role="status">{said}</span>
    </div>
  );
}

/** Gives what was saved, in words. */
async function saveFile(made: Promise<Blob>, name: string): Promise<string> {
  const file = await made;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = `${name.replaceAll(/[\p{Cc}"*/:<>?\\|]/gu, "-")}.html`;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return `Saved, ${(file.size / 1e6).toFixed(1)} MB; it opens without the service.`;
}

function DeleteDialog({
  report,
  onDelete,
  onClose,
}: {
  report: Report;
  onDelete: () => Promise<void>;
  onClose: () => void;
}) {
  const [problem, setProblem] = useState<string>();
  return (
    <Dialog title={`Delete the report ${report.name}?`} onClose={onClose}>
      <p>
        {report.scope === "shared" ? "Everybody in the organization loses it. " : ""}
        Nothing brings it back; the experiments stay.
      </p>
      {problem !== undefined && <p role="alert">{problem}</p>}
      <button
        type="button"
        class="strong"
        onClick={() => void onDelete().catch((error: unknown) => setProblem(messageOf(error)))}
      >
        Delete
      </button>
    </Dialog>
  );
}
