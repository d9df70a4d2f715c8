import type {
  CreateRetentionRuleBody,
  RetentionRule,
  RetentionRuleContent,
} from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { Labelled } from "../../parts/labelled.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useAct } from "../../parts/use-act.ts";
import { withoutReload } from "../../parts/without-reload.ts";
import type { Folders } from "../experiments/folder-lines.ts";
import { MoveDialog } from "../experiments/move-dialog.tsx";
import { isNever, ruleBody } from "./rule-body.ts";

interface Props {
  folders: Folders;
  /** The rule to change; undefined: a new one. */
  given: RetentionRule | undefined;
  onTry: (body: CreateRetentionRuleBody) => Promise<unknown>;
  onSet: (body: CreateRetentionRuleBody) => Promise<unknown>;
  onLeave: () => void;
}

/** An admin's form; fields keep their text. */
export function RuleForm({ folders, given, onTry, onSet, onLeave }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const [kind, setKind] = useState(given?.rule.kind ?? "experiments");
  const [folderId, setFolderId] = useState(folderOf(given?.rule));
  const [isChoosing, setIsChoosing] = useState(false);
  const choose = (chosen: string | null) => {
    setFolderId(chosen);
    setIsChoosing(false);
  };
  const { isBusy, problem, act } = useAct();
  const body = () => ruleBody(new FormData(form.current!));
  const submit = (work: (body: CreateRetentionRuleBody) => Promise<unknown>) => {
    if (form.current!.reportValidity()) void act(async () => work(body()));
  };
  return (
    <section aria-labelledby="rule-form">
      <h2 id="rule-form">{given === undefined ? "New rule" : `Change the rule ${given.name}`}</h2>
      <form class="fields" ref={form} onSubmit={withoutReload(() => submit(onSet))}>
        <NameField given={given?.name ?? ""} />
        <Labelled label="Applies to">
          <select
            name="kind"
            value={kind}
            onChange={(event) => setKind(event.currentTarget.value as typeof kind)}
          >
            <option value="experiments">experiments</option>
            <option value="versions">versions of artifacts</option>
          </select>
        </Labelled>
        {kind === "experiments" ? (
          <ExperimentFields rule={given?.rule}>
            <FolderField
              folderId={folderId}
              path={folders.path(folderId)}
              onChoose={() => setIsChoosing(true)}
            />
          </ExperimentFields>
        ) : (
          <VersionFields rule={given?.rule} />
        )}
        <label class="check">
          <input
            type="checkbox"
            name="never"
            defaultChecked={given !== undefined && isNever(given.rule)}
          />{" "}
          Protect: move nothing to the trash, and ignore the rules of folders and paths above
        </label>
        <Problem text={problem} />
        <Actions isNew={given === undefined} onTry={() => submit(onTry)} {...{ isBusy, onLeave }} />
      </form>
      {isChoosing && (
        <MoveDialog
          folders={folders}
          title="Choose the folder of the rule"
          moved={undefined}
          onChoose={choose}
          onClose={() => setIsChoosing(false)}
        />
      )}
    </section>
  );
}

function NameField({ given }: { given: string }) {
  return (
    <Labelled label="Name">
      <input name="name" required maxLength={limits.labelCharactersMax} defaultValue={given} />
    </Labelled>
  );
}

interface ActionsProps {
  isNew: boolean;
  isBusy: boolean;
  onTry: () => void;
  onLeave: () => void;
}

function Actions({ isNew, isBusy, onTry, onLeave }: ActionsProps) {
  return (
    <p class="actions">
      <button type="button" disabled={isBusy} onClick={onTry}>
        Try the rule
      </button>
      <button class="strong" disabled={isBusy}>
        {isNew ? "Set the rule" : "Change the rule"}
      </button>
      {!isNew && (
        <button type="button" onClick={onLeave}>
          Cancel
        </button>
      )}
    </p>
  );
}

function folderOf(rule: RetentionRuleContent | undefined): string | null {
  return rule?.kind === "experiments" ? rule.folderId : null;
}

interface FolderProps {
  /** null: all experiments. */
  folderId: string | null;
  path: string;
  onChoose: () => void;
}

/**
 * Chooses a folder, by id: names may contain slashes, so different folders can have equal paths.
 */
function FolderField({ folderId, path, onChoose }: FolderProps) {
  const folder = folderId === null ? "any" : path || "a folder that no longer exists";
  return (
    <>
      <input type="hidden" name="folderId" value={folderId ?? ""} />
      <Labelled label="In the folder" hint="and its subfolders">
        <button type="button" aria-label={`In the folder: ${folder}`} onClick={onChoose}>
          <bdi>{folder}</bdi>
        </button>
      </Labelled>
    </>
  );
}

interface ExperimentProps {
  rule: RetentionRuleContent | undefined;
  /** The field that chooses the folder. */
  children: ComponentChildren;
}

function ExperimentFields({ rule: given, children }: ExperimentProps) {
  const rule = given?.kind === "experiments" ? given : undefined;
  return (
    <>
      {children}
      <NumberField
        name="days"
        label="Older than, in days"
        hint="since the end and the last point"
        most={limits.retentionDaysMax}
        given={rule?.olderThanDays}
      />
      <fieldset>
        <legend>Only with the status</legend>
        {(["done", "error", "running"] as const).map((status) => (
          <label key={status}>
            <input
              type="checkbox"
              name="status"
              value={status}
              defaultChecked={rule?.statuses.includes(status) ?? status !== "running"}
            />{" "}
            {status}
          </label>
        ))}
      </fieldset>
      <Labelled label="Only experiments that match the query" hint="optional">
        <input name="query" spellcheck={false} defaultValue={rule?.query ?? ""} />
      </Labelled>
      <Labelled label="Except experiments that match the query">
        <input
          name="unless"
          spellcheck={false}
          placeholder="tag = keep"
          defaultValue={rule?.unless ?? ""}
        />
      </Labelled>
      <BestFields kept={rule?.keepBest} />
    </>
  );
}

type KeptBest = Extract<RetentionRuleContent, { kind: "experiments" }>["keepBest"];

function BestFields({ kept }: { kept: KeptBest }) {
  return (
    <>
      <NumberField
        name="best"
        label="Keep the best"
        hint="how many of all experiments the rule applies to; optional"
        most={limits.retentionKeptMax}
        given={kept?.count}
      />
      <Labelled label="Best by metric">
        <input
          name="field"
          spellcheck={false}
          placeholder="metric.loss.min"
          defaultValue={kept?.field ?? ""}
        />
      </Labelled>
      <Labelled label="Best value">
        <select name="order">
          <option value="least">least</option>
          <option value="greatest" selected={kept?.order === "greatest"}>
            greatest
          </option>
        </select>
      </Labelled>
    </>
  );
}

function VersionFields({ rule: given }: { rule: RetentionRuleContent | undefined }) {
  const rule = given?.kind === "versions" ? given : undefined;
  return (
    <>
      <Labelled label="Artifact" hint="and all artifacts below this path; if empty, all artifacts">
        <input
          name="place"
          autocomplete="off"
          placeholder="team/checkpoints"
          defaultValue={rule?.under ?? ""}
        />
      </Labelled>
      <NumberField
        name="keep"
        label="Keep the last"
        hint="how many versions of each artifact; 1 if empty"
        most={limits.retentionKeptMax}
        given={rule?.keepLast}
      />
      <NumberField
        name="days"
        label="Older than, in days"
        hint="since the commit; if empty, any age"
        most={limits.retentionDaysMax}
        given={rule?.olderThanDays}
      />
    </>
  );
}

interface NumberProps {
  name: string;
  label: string;
  hint: string;
  most: number;
  given: number | null | undefined;
}

function NumberField({ name, label, hint, most, given }: NumberProps) {
  return (
    <Labelled label={label} hint={hint}>
      <input type="number" name={name} min={1} max={most} defaultValue={given?.toString() ?? ""} />
    </Labelled>
  );
}
