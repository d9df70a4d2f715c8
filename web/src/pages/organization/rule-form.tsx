import type {
  CreateRetentionRuleBody,
  RetentionRule,
  RetentionRuleContent,
} from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
import { useRef, useState } from "preact/hooks";
import { Problem } from "../../parts/problem.tsx";
import { useAct } from "../../parts/use-act.ts";
import type { Folders } from "../experiments/folder-lines.ts";
import { Labelled } from "./labelled.tsx";
import { ruleBody } from "./rule-body.ts";

interface Props {
  folders: Folders;
  /** What is changed; undefined: a new one is set. */
  given: RetentionRule | undefined;
  onTry: (body: CreateRetentionRuleBody) => Promise<unknown>;
  onSet: (body: CreateRetentionRuleBody) => Promise<unknown>;
  onLeave: () => void;
}

/** So many paths of folders are offered while one is typed. */
const offeredMax = 200;

/** What an admin sets; fields keep what was typed. */
export function RuleForm({ folders, given, onTry, onSet, onLeave }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const [kind, setKind] = useState(given?.rule.kind ?? "experiments");
  const { isBusy, problem, act } = useAct();
  const body = () => ruleBody(new FormData(form.current!), (path) => folderIdAt(folders, path));
  const submit = (work: (body: CreateRetentionRuleBody) => Promise<unknown>) => {
    if (form.current!.reportValidity()) void act(async () => work(body()));
  };
  return (
    <section aria-labelledby="rule-form">
      <h2 id="rule-form">{given === undefined ? "A new rule" : `The rule ${given.name}`}</h2>
      <form
        class="fields"
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          submit(onSet);
        }}
      >
        <Labelled label="Name">
          <input
            name="name"
            required
            maxLength={limits.labelCharactersMax}
            defaultValue={given?.name ?? ""}
          />
        </Labelled>
        <Labelled label="It takes">
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
          <ExperimentFields folders={folders} given={given} />
        ) : (
          <VersionFields rule={given?.rule} />
        )}
        <label class="check">
          <input type="checkbox" name="never" defaultChecked={isNever(given?.rule)} /> It takes
          nothing: rules of folders and paths above do not reach here.
        </label>
        <Problem text={problem} />
        <p class="actions">
          <button type="button" disabled={isBusy} onClick={() => submit(onTry)}>
            Try it
          </button>
          <button class="strong" disabled={isBusy}>
            {given === undefined ? "Set the rule" : "Change the rule"}
          </button>
          {given !== undefined && (
            <button type="button" onClick={onLeave}>
              Cancel
            </button>
          )}
        </p>
      </form>
    </section>
  );
}

function folderIdAt(folders: Folders, path: string): string | undefined {
  return folders.found(path, Infinity).find((folder) => folder.path === path)?.folderId;
}

function isNever(rule: RetentionRuleContent | undefined): boolean {
  if (rule === undefined || rule.olderThanDays !== null) return false;
  return rule.kind === "experiments" || rule.keepLast === null;
}

function ExperimentFields({ folders, given }: Pick<Props, "folders" | "given">) {
  const rule = given?.rule.kind === "experiments" ? given.rule : undefined;
  return (
    <>
      <Labelled label="Folder" hint="and all below it; empty: all experiments">
        <input
          name="place"
          list="rule-folders"
          autocomplete="off"
          placeholder="team/sweeps"
          defaultValue={given?.folder.join("/") ?? ""}
        />
      </Labelled>
      <datalist id="rule-folders">
        {folders.found("", offeredMax).map(({ folderId, path }) => (
          <option key={folderId} value={path} />
        ))}
      </datalist>
      <NumberField
        name="days"
        label="Ended so many days ago"
        hint="and had their last point then"
        most={limits.retentionDaysMax}
        given={rule?.olderThanDays}
      />
      <fieldset>
        <legend>Only those that are</legend>
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
      <Labelled label="Only what this query finds" hint="empty: all">
        <input name="query" spellcheck={false} defaultValue={rule?.query ?? ""} />
      </Labelled>
      <Labelled label="But nothing that this query finds">
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
        label="But not the best"
        hint="so many of all that the rule is about; empty: none is spared"
        most={limits.retentionKeptMax}
        given={kept?.count}
      />
      <Labelled label="Best by the metric">
        <input
          name="field"
          spellcheck={false}
          placeholder="metric.loss.min"
          defaultValue={kept?.field ?? ""}
        />
      </Labelled>
      <Labelled label="Which are the best">
        <select name="order">
          <option value="least">the least</option>
          <option value="greatest" selected={kept?.order === "greatest"}>
            the greatest
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
      <Labelled label="Artifact" hint="and all whose paths go on behind it; empty: all artifacts">
        <input
          name="place"
          autocomplete="off"
          placeholder="team/checkpoints"
          defaultValue={rule?.under ?? ""}
        />
      </Labelled>
      <NumberField
        name="keep"
        label="But not the last"
        hint="so many versions of each artifact; empty: one"
        most={limits.retentionKeptMax}
        given={rule?.keepLast}
      />
      <NumberField
        name="days"
        label="Committed so many days ago"
        hint="empty: however new"
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
