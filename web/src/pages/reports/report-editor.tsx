import { SavedConflictError, type Report, type ReportBlock } from "@lossless/client";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { PageLocation } from "../../location.ts";
import type { PageProps } from "../../page.ts";
import { AskOnce } from "../../parts/ask-once.tsx";
import { messageOf } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import { BlockEditor } from "./block-editor.tsx";
import { MarksReader, ReportBoard } from "./report-board.tsx";
import {
  blocksOf,
  draftOf,
  emptyBlocks,
  inserted,
  missingIn,
  moved,
  newBlock,
  removed,
  replaced,
  restored,
  withWidth,
  type DraftBlock,
  type RemovedBlock,
} from "./report-draft.ts";

interface Props extends PageProps {
  report: Report;
  /** Called with whether nothing was typed since the request, so that the editor can close. */
  onSaved: (report: Report, isDone: boolean) => void;
  onClose: () => void;
}

/** Edits a report. Changes are saved on request only. */
export function ReportEditor({ service, location, report, onSaved, onClose }: Props) {
  const [draft, setDraft] = useState<readonly DraftBlock[]>(() => draftOf(report.blocks));
  const [gone, setGone] = useState<RemovedBlock>();
  /** The block that was added last, to which the focus goes. */
  const [added, setAdded] = useState<number>();
  const board = useMemo(() => new ReportBoard(), []);
  const isChanged = JSON.stringify(blocksOf(draft)) !== JSON.stringify(report.blocks);
  const [leave, setLeave] = useState<() => void>();
  useWarning(location, isChanged, (go) => setLeave(() => go));
  const { save, problem, isSaving } = useSaving(service, report, draft, onSaved);
  const goneAt = gone && (
    <Removed
      key={`removed ${gone.one.key}`}
      kind={gone.one.block.kind}
      onRestore={() => {
        setDraft(restored(draft, gone));
        setGone(undefined);
      }}
    />
  );
  return (
    <>
      <div class="actions" role="group" aria-label="Writing">
        <button type="button" class="strong" disabled={isSaving} onClick={() => void save()}>
          Save
        </button>
        <button type="button" onClick={() => (isChanged ? setLeave(() => onClose) : onClose())}>
          Cancel
        </button>
        <span role="status">{isChanged ? "unsaved changes" : ""}</span>
        {problem !== undefined && <span role="alert">{problem}</span>}
      </div>
      <MarksReader {...{ service, board }} />
      {leave !== undefined && <LeaveQuestion leave={leave} onClose={() => setLeave(undefined)} />}
      {draft.flatMap(({ key, block }, at) => [
        gone?.at === at && goneAt,
        <DraftSection
          key={key}
          title={`Block ${at + 1}, ${block.kind}`}
          onMove={(direction) => setDraft(moved(draft, key, direction))}
          onRemove={() => {
            setGone({ one: { key, block }, at });
            setDraft(removed(draft, key));
          }}
          isFirst={at === 0}
          isLast={at === draft.length - 1}
          isNew={key === added}
          isHalf={block.width === "half"}
          onHalf={(isHalf) => setDraft(replaced(draft, key, withWidth(block, isHalf)))}
        >
          <BlockEditor
            {...{ service, board, block }}
            onChange={(next) => setDraft((before) => replaced(before, key, next))}
          />
        </DraftSection>,
      ])}
      {gone !== undefined && gone.at >= draft.length && goneAt}
      <NewBlocks
        onAdd={(kind) => {
          const next = inserted(draft, newBlock(kind, draft));
          setDraft(next);
          setAdded(next.at(-1)!.key);
        }}
      />
    </>
  );
}

function NewBlocks({ onAdd }: { onAdd: (kind: ReportBlock["kind"]) => void }) {
  return (
    <div class="actions" role="group" aria-label="New blocks">
      {(Object.keys(emptyBlocks) as ReportBlock["kind"][]).map((kind) => (
        <button key={kind} type="button" onClick={() => onAdd(kind)}>
          + {kind}
        </button>
      ))}
    </div>
  );
}

/** Stands where a block was removed, with the focus that went with it. */
function Removed({ kind, onRestore }: { kind: ReportBlock["kind"]; onRestore: () => void }) {
  const back = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => back.current?.focus(), []);
  return (
    <p class="count">
      The {kind} block is removed.{" "}
      <button type="button" ref={back} onClick={onRestore}>
        Bring it back
      </button>
    </p>
  );
}

/** Saves by the button or its keys, and never overwrites another member's change unannounced. */
function useSaving(
  service: Service,
  report: Report,
  draft: readonly DraftBlock[],
  onSaved: Props["onSaved"],
) {
  const [seen, setSeen] = useState(report.revision);
  const [problem, setProblem] = useState<string>();
  const [isSaving, setIsSaving] = useState(false);
  const written = useRef(draft);
  written.current = draft;
  const save = async () => {
    if (isSaving) return;
    const missing = missingIn(draft);
    setProblem(missing);
    if (missing !== undefined) return;
    setIsSaving(true);
    try {
      const change = { blocks: blocksOf(draft) };
      const saved = await service.client.reports.change({ id: report.id, revision: seen }, change);
      setSeen(saved.revision);
      setIsSaving(false);
      onSaved(saved, written.current === draft);
    } catch (error) {
      setIsSaving(false);
      if (!(error instanceof SavedConflictError)) return setProblem(messageOf(error));
      // The person now knows of the conflict, so saving again overwrites.
      setSeen(error.present.revision);
      const choice = "Save overwrites the other version, Cancel shows it.";
      setProblem(`${messageOf(error)} Your changes are still here. ${choice}`);
    }
  };
  const latest = useRef(save);
  latest.current = save;
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      void latest.current();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
  return { save, problem, isSaving };
}

interface SectionProps {
  title: string;
  onMove: (direction: 1 | -1) => void;
  onRemove: () => void;
  isFirst: boolean;
  isLast: boolean;
  /** Whether it was added just now. */
  isNew: boolean;
  /** Whether it is half as wide as the report. */
  isHalf: boolean;
  onHalf: (isHalf: boolean) => void;
  children: ComponentChildren;
}

/** A block with buttons to move it; alt and an arrow key anywhere in it move it too. */
function DraftSection({ title, onMove, onRemove, isFirst, isLast, ...props }: SectionProps) {
  const { isNew, isHalf, onHalf, children } = props;
  const section = useRef<HTMLElement>(null);
  // Left on the button that adds blocks, it would take the text that is typed next.
  useLayoutEffect(() => {
    if (isNew) (section.current?.querySelector("textarea") ?? section.current)?.focus();
  }, [isNew]);
  // Moving an element loses the focus, which is restored.
  const move = (direction: 1 | -1) => {
    const held = document.activeElement;
    onMove(direction);
    requestAnimationFrame(() => {
      if (held instanceof HTMLElement && section.current?.contains(held)) held.focus();
      section.current?.scrollIntoView({ block: "nearest" });
    });
  };
  return (
    <section
      class="draft"
      ref={section}
      tabIndex={-1}
      aria-label={title}
      onKeyDown={(event) => {
        if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
        event.preventDefault();
        move(event.key === "ArrowUp" ? -1 : 1);
      }}
    >
      <header>
        <h2>{title}</h2>
        <button
          type="button"
          aria-label={`Half width: ${title}`}
          aria-pressed={isHalf}
          title="Two half-width blocks in a row stand side by side"
          onClick={() => onHalf(!isHalf)}
        >
          ½
        </button>
        <button
          type="button"
          aria-label={`Move up: ${title}`}
          disabled={isFirst}
          onClick={() => move(-1)}
        >
          ↑
        </button>
        <button
          type="button"
          aria-label={`Move down: ${title}`}
          disabled={isLast}
          onClick={() => move(1)}
        >
          ↓
        </button>
        <button type="button" aria-label={`Remove: ${title}`} onClick={onRemove}>
          ✕
        </button>
      </header>
      {children}
    </section>
  );
}

function LeaveQuestion({ leave, onClose }: { leave: () => void; onClose: () => void }) {
  return (
    <AskOnce
      title="Leave without saving?"
      verb="Leave"
      onConfirm={async () => leave()}
      onClose={onClose}
    >
      <p>Your changes are not saved. If you leave, they are lost.</p>
    </AskOnce>
  );
}

/** Asks before unsaved changes are lost: through the browser, or on this page. */
function useWarning(
  location: PageLocation,
  isChanged: boolean,
  ask: (leave: () => void) => void,
): void {
  const latest = useRef(ask);
  latest.current = ask;
  // Removed before the next page is painted, so that an immediate step does not meet this guard.
  useLayoutEffect(() => {
    if (!isChanged) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    const unguard = location.guard((leave) => latest.current(leave));
    return () => {
      window.removeEventListener("beforeunload", warn);
      unguard();
    };
  }, [location, isChanged]);
}
