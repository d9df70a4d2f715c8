import type { FieldsReply } from "@lossless/protocol";
import {
  type Field,
  fieldText,
  ownFields,
  parseField,
  stats,
} from "@lossless/protocol/query-field";
import { useEffect, useState } from "preact/hooks";
import { keyName } from "../../chart/groups/keys.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Meant } from "../../parts/meant.tsx";
import { useRead } from "../../parts/use-read.ts";
import { toggled } from "../../parts/toggled.ts";
import { leastText, messageOf } from "../../parts/words.ts";
import { namePattern } from "../experiment/sections.ts";
import { type AskFields, isOfClients } from "./use-completions.ts";

interface Props {
  title?: string;
  columns: readonly string[];
  ask: AskFields;
  /** Reads the keys that differ among the experiments that it is about. */
  differing?: (stopped: AbortSignal) => Promise<readonly string[]>;
  onChange: (columns: readonly string[]) => void;
  /** Restores the default columns. */
  onReset: () => void;
  onClose: () => void;
}

const shownMax = 60;
const pauseMs = 100;
/** Keys that are offered before a search: more columns than that are seldom read at once. */
const differingMax = 12;

/** Chooses columns; the service searches names, and says how many experiments have each. */
export function ColumnPicker(props: Props) {
  const { title = "Columns", columns, ask, differing, onChange, onReset, onClose } = props;
  const [text, setText] = useState("");
  const { known, problem } = useKnownFields(ask, text);
  const { test: isNamed } = namePattern(text);
  const toggle = (field: string) => onChange(toggled(columns, field));
  const own = Object.keys(ownFields).filter((name) => name !== "slug" && isNamed(name));
  const fields = known?.fields ?? [];
  const line = ({ field, experiments, isMinimum }: FieldsReply["fields"][number]) => (
    <KnownField
      key={field}
      field={field}
      experiments={leastText(experiments, isMinimum)}
      columns={columns}
      toggle={toggle}
    />
  );
  return (
    <Dialog title={title} onClose={onClose}>
      <p class="chosen">
        {columns.map((field) => (
          <ChosenColumn key={field} field={field} columns={columns} onChange={onChange} />
        ))}
        <button type="button" onClick={onReset}>
          reset to default
        </button>
      </p>
      <input
        type="search"
        aria-label="Search columns"
        placeholder="Search meta and metrics: words, * or /regular expression/"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {problem !== undefined && <p role="alert">{problem}</p>}
      {differing !== undefined && text === "" && (
        <Differing {...{ differing, columns, onChange, toggle }} />
      )}
      <ul class="field-list">
        {fields.filter((one) => !isOfClients(one)).map(line)}
        {own.map((field) => (
          <KnownField key={field} field={field} columns={columns} toggle={toggle} />
        ))}
        {fields.filter(isOfClients).map(line)}
      </ul>
      {known?.fields.length === 0 && own.length === 0 && (
        <p>
          No key or metric has this name. <Meant names={known.near ?? []} onChoose={setText} />
        </p>
      )}
      {known?.isWhole === false && (
        <p class="soft">There are more. Type part of a name to find them.</p>
      )}
    </Dialog>
  );
}

/** The fields whose names a search finds. Those of the last search stay until others are there. */
function useKnownFields(ask: AskFields, text: string) {
  const [known, setKnown] = useState<FieldsReply>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const stopped = new AbortController();
    const timer = setTimeout(() => {
      ask({ text, limit: shownMax, near: true }, stopped.signal).then(
        (reply) => {
          if (stopped.signal.aborted) return;
          setKnown(reply);
          setProblem(undefined);
        },
        (error: unknown) => !stopped.signal.aborted && setProblem(messageOf(error)),
      );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      stopped.abort();
    };
  }, [text]);
  return { known, problem };
}

interface DifferingProps extends Pick<Props, "columns" | "onChange"> {
  differing: NonNullable<Props["differing"]>;
  toggle: (field: string) => void;
}

/** The keys in which the experiments found differ: one click for each, or for all. */
function Differing({ differing, columns, onChange, toggle }: DifferingProps) {
  const { found: keys = [] } = useRead(differing, []);
  const shown = keys.slice(0, differingMax);
  const hidden = shown.filter((key) => !columns.includes(key));
  if (shown.length === 0) return null;
  return (
    <div class="choices" role="group" aria-label="Keys that differ among the experiments found">
      <span class="soft">these differ here:</span>
      {shown.map((key) => (
        <button
          key={key}
          type="button"
          title={key}
          aria-pressed={columns.includes(key)}
          onClick={() => toggle(key)}
        >
          {keyName(key)}
        </button>
      ))}
      {hidden.length > 1 && (
        <button type="button" class="strong" onClick={() => onChange(beside(columns, hidden))}>
          show {shown.length < keys.length ? "these" : "all"} {shown.length}
        </button>
      )}
    </div>
  );
}

/** Columns with keys behind those of metrics and meta, where they are seen without scrolling. */
function beside(columns: readonly string[], keys: readonly string[]): string[] {
  const last = columns.findLastIndex((field) => /^(metric|meta)\./.test(field));
  return columns.toSpliced(last < 0 ? columns.length : last + 1, 0, ...keys);
}

function ChosenColumn({
  field,
  columns,
  onChange,
}: Pick<Props, "columns" | "onChange"> & { field: string }) {
  const at = columns.indexOf(field);
  const forward = () => onChange(columns.with(at - 1, field).with(at, columns[at - 1]));
  return (
    <span class="chip">
      {at > 0 && (
        <button type="button" aria-label={`Move ${field} to the left`} onClick={forward}>
          ◂
        </button>
      )}
      <bdi>{field}</bdi>
      <button
        type="button"
        aria-label={`Remove ${field}`}
        onClick={() => onChange(columns.filter((each) => each !== field))}
      >
        ✕
      </button>
    </span>
  );
}

interface KnownFieldProps {
  field: string;
  experiments?: string;
  columns: readonly string[];
  toggle: (field: string) => void;
}

/** A field to choose; a metric has a button for each of its statistics. */
function KnownField({ field, experiments, columns, toggle }: KnownFieldProps) {
  const kind = parseField(field);
  return (
    <li>
      <bdi title={field}>{field}</bdi>
      {experiments !== undefined && <span class="count">in {experiments}</span>}
      <span class="choices">
        {choicesOf(kind).map(({ text, title }) => (
          <button
            key={text}
            type="button"
            aria-pressed={columns.includes(text)}
            aria-label={`${title} ${text} as a column`}
            onClick={() => toggle(text)}
          >
            {title}
          </button>
        ))}
      </span>
    </li>
  );
}

function choicesOf(kind: Field): { text: string; title: string }[] {
  if (kind.kind !== "metric") return [{ text: fieldText(kind), title: "show" }];
  return stats.map((stat) => ({ text: fieldText({ ...kind, stat }), title: stat }));
}
