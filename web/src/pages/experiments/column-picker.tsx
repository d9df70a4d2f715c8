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
import { countText, leastText, messageOf } from "../../parts/words.ts";
import { namePattern } from "../experiment/sections.ts";
import type { FoundKeys } from "./differing-keys.ts";
import { type AskFields, isOfClients } from "../../query/use-completions.ts";

interface Props {
  title?: string;
  columns: readonly string[];
  ask: AskFields;
  /** Reads the keys of the experiments that it is about, which come first. */
  readFound?: (stopped: AbortSignal) => Promise<FoundKeys>;
  onChange: (columns: readonly string[]) => void;
  /** Restores the default columns. */
  onReset: () => void;
  onClose: () => void;
}

const shownMax = 60;
const pauseMs = 100;
/** Keys that are offered before a search: more columns than that are seldom read at once. */
const differingMax = 12;

/**
 * Chooses columns: from the keys of the experiments found, which are searched at once, then from
 * all names, which the service searches. Each is shown with the number of experiments.
 */
export function ColumnPicker(props: Props) {
  const { title = "Columns", columns, ask, readFound, onChange, onReset, onClose } = props;
  const [text, setText] = useState("");
  const { known, problem } = useKnownFields(ask, text);
  const { found, problem: lack } = useRead(async (stopped) => readFound?.(stopped), []);
  // Until it is known which keys come first, no list is shown, as its lines would move.
  const isWaiting = readFound !== undefined && found === undefined && lack === undefined;
  const { test: isNamed } = namePattern(text);
  const toggle = (field: string) =>
    onChange(columns.includes(field) ? toggled(columns, field) : beside(columns, [field]));
  const own = Object.keys(ownFields).filter((name) => name !== "slug" && isNamed(name));
  const here = (found?.keys ?? []).filter(({ field }) => isNamed(field) || isNamed(keyName(field)));
  const listed = new Set(here.slice(0, shownMax).map(({ field }) => field));
  const fields = (known?.fields ?? []).filter(({ field }) => !listed.has(field));
  const line = ({ field, experiments, isMinimum }: FieldsReply["fields"][number]) => (
    <KnownField
      key={field}
      field={field}
      experiments={leastText(experiments, isMinimum)}
      {...{ columns, toggle }}
    />
  );
  return (
    <Dialog title={title} onClose={onClose}>
      <p class="chosen shown-columns">
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
      {found !== undefined && text === "" && (
        <Differing differing={found.differing} {...{ columns, onChange, toggle }} />
      )}
      <ul class="field-list" hidden={isWaiting}>
        {found !== undefined && listed.size > 0 && (
          <FoundLines {...{ found, here, columns, toggle }} />
        )}
        {listed.size > 0 && fields.length + own.length > 0 && <li class="soft">others</li>}
        {fields.filter((one) => !isOfClients(one)).map(line)}
        {own.map((field) => (
          <KnownField key={field} {...{ field, columns, toggle }} />
        ))}
        {fields.filter(isOfClients).map(line)}
      </ul>
      {known?.fields.length === 0 && own.length + here.length === 0 && (
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

interface FoundProps extends Pick<Props, "columns"> {
  found: FoundKeys;
  /** The keys that the search finds. */
  here: FoundKeys["keys"];
  toggle: (field: string) => void;
}

/** The keys of the experiments found that fit the search, as lines of a list. */
function FoundLines({ found, here, columns, toggle }: FoundProps) {
  const total = countText(found.experiments);
  const more = here.length - shownMax;
  return (
    <>
      <li class="soft">keys of {whichText(found)}</li>
      {here.slice(0, shownMax).map(({ field, experiments }) => (
        <KnownField
          key={field}
          field={field}
          experiments={
            experiments === found.experiments ? "all" : `${countText(experiments)} of ${total}`
          }
          {...{ columns, toggle }}
        />
      ))}
      {more > 0 && <li class="soft">{countText(more)} more. Type part of a name to find them.</li>}
    </>
  );
}

function whichText({ experiments, total }: FoundKeys): string {
  if (experiments < total)
    return `the first ${countText(experiments)} of ${countText(total)} experiments found`;
  return experiments === 1 ? "the experiment found" : `all ${countText(total)} experiments found`;
}

interface DifferingProps extends Pick<Props, "columns" | "onChange"> {
  differing: readonly string[];
  toggle: (field: string) => void;
}

/** The keys in which the experiments found differ: one click for each, or for all. */
function Differing({ differing: keys, columns, onChange, toggle }: DifferingProps) {
  const shown = keys.slice(0, differingMax);
  const hidden = shown.filter((key) => !columns.includes(key));
  if (shown.length === 0) return null;
  return (
    <div
      class="choices differing"
      role="group"
      aria-label="Keys that differ among the experiments found"
    >
      <span class="soft">these differ here:</span>
      {hidden.length > 1 && (
        <button type="button" class="strong" onClick={() => onChange(beside(columns, hidden))}>
          show {shown.length < keys.length ? "these" : "all"} {shown.length}
        </button>
      )}
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
    </div>
  );
}

/** Columns that most tables end with, and that are read last. */
const lastColumns: readonly string[] = ["began", "duration", "points", "folder"];

/**
 * Columns with others behind those of metrics and meta, or before those that are read last: where
 * they are seen without scrolling.
 */
function beside(columns: readonly string[], added: readonly string[]): string[] {
  const last = columns.findLastIndex((field) => /^(metric|meta)\./.test(field));
  const end = columns.findIndex((field) => lastColumns.includes(field));
  const at = last >= 0 ? last + 1 : end >= 0 ? end : columns.length;
  return columns.toSpliced(at, 0, ...added);
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
          <ColumnChoice
            key={text}
            {...{ text, title, isShown: columns.includes(text) }}
            onToggle={() => toggle(text)}
          />
        ))}
      </span>
    </li>
  );
}

interface ChoiceProps {
  text: string;
  /** The statistic of a metric; undefined: the field has one value. */
  title: string | undefined;
  isShown: boolean;
  onToggle: () => void;
}

/** Shows a column or takes it away, and says which of them a press does. */
function ColumnChoice({ text, title, isShown, onToggle }: ChoiceProps) {
  const word = isShown ? "hide" : "show";
  const label =
    title === undefined ? `${word} ${text} as a column` : `${title} ${text} as a column`;
  return (
    <button
      type="button"
      // A button whose word changes is not pressed: it would say the contrary.
      aria-pressed={title === undefined ? undefined : isShown}
      data-shown={isShown}
      aria-label={label}
      onClick={onToggle}
    >
      {title ?? word}
    </button>
  );
}

function choicesOf(kind: Field): { text: string; title: string | undefined }[] {
  if (kind.kind !== "metric") return [{ text: fieldText(kind), title: undefined }];
  return stats.map((stat) => ({ text: fieldText({ ...kind, stat }), title: stat }));
}
