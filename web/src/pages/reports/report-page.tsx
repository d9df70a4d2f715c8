import type { Report } from "@lossless/client";
import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { PageLocation } from "../../location.ts";
import type { PathProps } from "../../page.ts";
import { WholeContext } from "../../media/use-near.ts";
import { AskOnce } from "../../parts/ask-once.tsx";
import { Share } from "../../guests/share.tsx";
import { CopyLink } from "../../parts/copy.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { fileName, saveFile } from "../../parts/save-file.ts";
import { messageOf, timeText } from "../../parts/words.ts";
import { mayWrite } from "../../rights.ts";
import { SaveDialog, type NameAndScope } from "../../saved/save-dialog.tsx";
import type { Service } from "../../signed-in.ts";
import { exportReport, type ExportedReport } from "./exported/export-report.ts";
import { usePrinting } from "./exported/use-printing.ts";
import { PicturesContext, ReportPictures } from "./pictures/report-pictures.ts";
import { ReportBlocks, type ShownCharts } from "./report-blocks.tsx";

/** `/reports/{reportId}` */
export function ReportPage({ id, service, location }: PathProps) {
  const [report, setReport] = useState<Report>();
  const [problem, setProblem] = useState<string>();
  const [opened, setOpened] = useState<"rename" | "delete">();
  const sheet = useRef<HTMLElement>(null);
  const shown = useRef<ShownCharts>(new Map());
  const whole = useSignal(false);
  const pictures = usePictures(service, id);
  const isEdited = location.parameter("edit") !== undefined && mayWrite(service);
  const read = () =>
    service.client.reports.read(id).then(setReport, (error: unknown) => {
      setProblem(messageOf(error));
    });
  useEffect(() => void read(), [id]);
  useEffect(() => {
    document.title = `${report?.name ?? "Report"} · Lossless`;
  }, [report?.name]);
  if (report === undefined) return <p class="waiting">{problem ?? "Loading the report …"}</p>;
  const edit = (isOn: boolean) => location.change({ edit: isOn ? "1" : undefined }, true);
  const onSaved = (saved: Report, isDone: boolean) => {
    setReport(saved);
    if (isDone) edit(false);
  };
  const onClose = () => (void read(), edit(false));
  const editor = { service, location, report, pictures, onSaved, onClose };
  const page = () => ({ page: sheet.current!, shown: shown.current, pictures, whole });
  const content = isEdited ? (
    <Loaded load={loadEditor} props={editor} />
  ) : (
    <ReportBlocks service={service} blocks={report.blocks} shown={shown.current} />
  );
  return (
    <main class="report">
      {!isEdited && (
        <Actions
          service={service}
          shown={{ reportId: id }}
          what={report.name}
          location={location}
          onEdit={() => edit(true)}
          {...{ sheet, whole }}
          onExport={(tell, stopped) =>
            savedReport(exportReport(service, report, page(), tell, stopped), report.name)
          }
          onRename={() => setOpened("rename")}
          onDelete={() => setOpened("delete")}
        />
      )}
      <article class="sheet" ref={sheet}>
        <h1 class={isEdited ? "is-edited" : undefined}>{report.name}</h1>
        {!isEdited && service.visit === undefined && <Facts report={report} />}
        <PicturesContext.Provider value={pictures}>
          <WholeContext.Provider value={whole}>{content}</WholeContext.Provider>
        </PicturesContext.Provider>
        {!isEdited && report.blocks.length === 0 && <p>This report is empty. Press Edit.</p>}
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

function Facts({ report }: { report: Report }) {
  return (
    <p class="facts">
      <span>{report.scope === "own" ? "only you can see it" : "all members can see it"}</span>
      <span>
        changed by {report.changedBy} on {timeText(report.changedAtMs)}
      </span>
    </p>
  );
}

function usePictures(service: Service, id: string): ReportPictures {
  const pictures = useMemo(() => new ReportPictures(service, id), [service, id]);
  useEffect(() => () => pictures[Symbol.dispose](), [pictures]);
  return pictures;
}

/** Most people read. */
const loadEditor = () => import("./report-editor.tsx").then(({ ReportEditor }) => ReportEditor);

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
      <AskOnce
        title={`Delete the report ${report.name}?`}
        verb="Delete"
        onConfirm={() => reports.delete(report).then(onGone)}
        onClose={onClose}
      >
        <p>
          {report.scope === "shared" ? "Everyone in the organization loses it. " : ""}
          This cannot be undone. The experiments stay.
        </p>
      </AskOnce>
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
  service: Service;
  what: string;
  shown: { reportId: string };
  location: PageLocation;
  sheet: { readonly current: HTMLElement | null };
  whole: Signal<boolean>;
  onEdit: () => void;
  onExport: (tell: (words: string) => void, stopped: AbortSignal) => Promise<string>;
  onRename: () => void;
  onDelete: () => void;
}

function Actions({
  service,
  what,
  shown,
  location,
  sheet,
  whole,
  onEdit,
  onExport,
  onRename,
  onDelete,
}: ActionsProps) {
  const mayChange = mayWrite(service);
  const [said, setSaid] = useState("");
  const [saving, setSaving] = useState<AbortController>();
  const save = async () => {
    const stop = new AbortController();
    setSaving(stop);
    setSaid(await onExport(setSaid, stop.signal).catch(messageOf));
    setSaving(undefined);
  };
  const stop = () => saving?.abort(new Error("Stopped: nothing was saved."));
  // Leaving the page cancels the file.
  useEffect(() => stop, [saving]);
  const print = usePrinting(sheet, whole, setSaid);
  return (
    <div class="actions bar-of-report" role="group" aria-label="Report">
      {service.visit === undefined && <a href="/reports">All reports</a>}
      {mayChange && (
        <button type="button" class="strong" onClick={onEdit}>
          Edit
        </button>
      )}
      <button type="button" onClick={print}>
        Print
      </button>
      <button type="button" onClick={() => (saving === undefined ? void save() : stop())}>
        {saving === undefined ? "Save as a file" : "Stop saving"}
      </button>
      {mayChange && (
        <>
          <button type="button" onClick={onRename}>
            Rename or share…
          </button>
          <button type="button" onClick={onDelete}>
            Delete…
          </button>
        </>
      )}
      {service.visit === undefined && <CopyLink location={location} />}
      <Share {...{ service, what, shown }} />
      <span role="status">{said}</span>
    </div>
  );
}

/** Saves the file, and describes what was saved. */
async function savedReport(made: Promise<ExportedReport>, name: string): Promise<string> {
  const { file, missing } = await made;
  saveFile(fileName(name, "html"), file);
  const said = `Saved, ${(file.size / 1e6).toFixed(1)} MB. The file opens without the service.`;
  return missing.length === 0 ? said : `${said} Left out: ${missing.join("; ")}`;
}
