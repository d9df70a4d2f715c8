import type { FieldsReply } from "@lossless/protocol";
import {
  type Field,
  fieldText,
  ownFields,
  parseField,
  stats,
} from "@lossless/protocol/query-field";
import { useEffect, useState } from "preact/hooks";
import { Dialog } from "../../parts/dialog.tsx";
import { Meant } from "../../parts/meant.tsx";
import { toggled } from "../../parts/toggled.ts";
import { leastText, messageOf } from "../../parts/words.ts";
import { namePattern } from "../experiment/sections.ts";
import type { AskFields } from "./use-completions.ts";

interface Props {
  title?: string;
  columns: readonly string[];
  ask: AskFields;
  onChange: (columns: readonly string[]) => void;
  /** Restores the default columns. */
  onReset: () => void;
  onClose: () => void;
}

const shownMax = 60;
const pauseMs = 100;

/** Chooses columns; the service searches names, and says how many experiments have each. */
export function ColumnPicker(props: Props) {
  const { title = "Columns", columns, ask, onChange, onReset, onClose } = props;
  const [text, setText] = useState("");
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
  const { test: isNamed } = namePattern(text);
  const toggle = (field: string) => onChange(toggled(columns, field));
  const own = Object.keys(ownFields).filter((name) => name !== "slug" && isNamed(name));
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
      <ul class="field-list">
        {known?.fields.toSorted(byUse).map(({ field, experiments, isMinimum }) => (
          <KnownField
            key={field}
            field={field}
            experiments={leastText(experiments, isMinimum)}
            columns={columns}
            toggle={toggle}
          />
        ))}
        {own.map((field) => (
          <KnownField key={field} field={field} columns={columns} toggle={toggle} />
        ))}
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

/** Keys that clients write by themselves, `meta._…`, stand behind all others. */
function byUse(left: { field: string }, right: { field: string }): number {
  const isOwn = ({ field }: { field: string }) => Number(field.startsWith("meta._"));
  return isOwn(left) - isOwn(right);
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
