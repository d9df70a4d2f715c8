import type { FieldsBody } from "@lossless/protocol";
import {
  type Field,
  fieldText,
  fieldType,
  ownFields,
  parseField,
  stats,
} from "@lossless/protocol/query-field";
import { operatorsOf, readQuery } from "@lossless/protocol/query-language";
import { valueText, wordsOf } from "@lossless/protocol/query-value";
import { useEffect, useState } from "preact/hooks";
import { Dialog } from "../../parts/dialog.tsx";
import { Meant } from "../../parts/meant.tsx";
import { leastText } from "../../parts/words.ts";
import { namePattern } from "../experiment/sections.ts";
import type { AskFields } from "../../query/use-completions.ts";
import { withTest } from "./with-test.ts";

interface Props {
  query: string;
  ask: AskFields;
  onChange: (query: string) => void;
  onClose: () => void;
}

/** Adds a test to the query by clicks: a field, an operator, a value. Shows the query it writes. */
export function FilterDialog({ query, ask, onChange, onClose }: Props) {
  const [field, setField] = useState<Field>();
  return (
    <Dialog title="Add a filter" onClose={onClose}>
      {field === undefined ? (
        <FieldChoice ask={ask} onChoose={setField} />
      ) : (
        <TestForm
          {...{ query, ask, field }}
          onField={setField}
          onChange={(next) => {
            onChange(next);
            onClose();
          }}
        />
      )}
    </Dialog>
  );
}

const shownMax = 40;
const pauseMs = 100;

interface Found {
  text: string;
  experiments?: string;
}

function FieldChoice({ ask, onChoose }: { ask: AskFields; onChoose: (field: Field) => void }) {
  const [text, setText] = useState("");
  const { found: known, near } = useFound(ask, { text, near: true });
  const { test, problem } = namePattern(text);
  const own: Found[] = Object.keys(ownFields)
    .filter(test)
    .map((name) => ({ text: name }));
  return (
    <>
      <input
        type="search"
        aria-label="Search fields"
        placeholder="Search fields, meta and metrics"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {problem !== undefined && <p role="alert">{problem}</p>}
      {own.length === 0 && near !== undefined && (
        <p>
          No field has this name. <Meant names={near} onChoose={setText} />
        </p>
      )}
      <ul class="choice-list">
        {(text === "" ? own.concat(known) : known.concat(own)).map((found) => (
          <li key={found.text}>
            <button type="button" onClick={() => onChoose(parseField(found.text))}>
              <bdi>{found.text}</bdi>{" "}
              {found.experiments !== undefined && <span class="count">in {found.experiments}</span>}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

interface FormProps extends Omit<Props, "onClose"> {
  field: Field;
  onField: (field: Field | undefined) => void;
}

/** Whether there is a value, which is a test without an operator. */
const presence = { exists: "has a value", lacks: "has no value" } as const;

function TestForm({ query, ask, field, onField, onChange }: FormProps) {
  const type = fieldType(field);
  const operators = operatorsOf(type);
  const [operator, setOperator] = useState<string>(operators[0]);
  const [value, setValue] = useState("");
  const words = wordsOf(type);
  const isListed = ["meta", "text", "folder"].includes(type);
  const { found: known } = useFound(
    ask,
    isListed ? { text: value, field: fieldText(field) } : undefined,
  );
  const test = testText(field, operator, value);
  const next = withTest(query, test);
  const { error } = readQuery(next);
  const submit = (event: Event) => {
    event.preventDefault();
    if (error === undefined) onChange(next);
  };
  return (
    <form class="filter-form" onSubmit={submit}>
      <TestFields {...{ field, operator, value, onField, setOperator, setValue }} />
      <datalist id="filter-values">
        {words.map((word) => (
          <option key={word} value={word} />
        ))}
        {known.map(({ text, experiments }) => (
          <option key={text} value={text} label={`in ${experiments}`} />
        ))}
      </datalist>
      <p>
        <span class="soft">the query then:</span> <code>{next}</code>
      </p>
      {error !== undefined && value !== "" && <p role="alert">{error.message}</p>}
      <p class="choices">
        <button type="submit" class="strong" aria-disabled={error !== undefined}>
          Add to the query
        </button>
      </p>
    </form>
  );
}

interface FieldsProps extends Pick<FormProps, "field" | "onField"> {
  operator: string;
  value: string;
  setOperator: (operator: string) => void;
  setValue: (value: string) => void;
}

/** The parts of a test: what fits the field is offered. */
function TestFields({ field, operator, value, onField, setOperator, setValue }: FieldsProps) {
  const type = fieldType(field);
  return (
    <p class="choices">
      <button type="button" onClick={() => onField(undefined)} title="Choose another field">
        <bdi>{fieldText(field)}</bdi> ▾
      </button>
      {field.kind === "metric" && (
        <select
          aria-label="Statistic"
          value={field.stat}
          onChange={({ currentTarget }) =>
            onField({ ...field, stat: stats.find((one) => one === currentTarget.value)! })
          }
        >
          {stats.map((stat) => (
            <option key={stat}>{stat}</option>
          ))}
        </select>
      )}
      <select
        aria-label="Operator"
        value={operator}
        onChange={(event) => setOperator(event.currentTarget.value)}
      >
        {operatorsOf(type).map((each) => (
          <option key={each}>{each}</option>
        ))}
        {Object.entries(presence).map(([each, said]) => (
          <option key={each} value={each}>
            {said}
          </option>
        ))}
      </select>
      {!Object.hasOwn(presence, operator) && (
        <input
          aria-label="Value"
          list="filter-values"
          autocomplete="off"
          placeholder={type === "time" ? "-7d or 2026-03-01" : type === "duration" ? "10m" : ""}
          value={value}
          onInput={(event) => setValue(event.currentTarget.value)}
        />
      )}
    </p>
  );
}

/** The test in the language. What is no word stands in quotation marks, unless it is one of it. */
function testText(field: Field, operator: string, value: string): string {
  const text = fieldText(field);
  if (operator === "exists") return text;
  if (operator === "lacks") return `not ${text}`;
  const written = value.trim();
  const test = `${text} ${operator} ${written}`;
  const isRead = readQuery(test).query?.kind === "compare";
  return isRead || written === ""
    ? test
    : `${text} ${operator} ${valueText({ kind: "text", text: written })}`;
}

/** Names, or values of a field, with the number of experiments that have each. */
function useFound(
  ask: AskFields,
  body: Pick<FieldsBody, "text" | "field" | "near"> | undefined,
): { found: Found[]; near?: readonly string[] | undefined } {
  const [found, setFound] = useState<Found[]>([]);
  const [near, setNear] = useState<readonly string[]>();
  const question = body && JSON.stringify({ ...body, limit: shownMax });
  useEffect(() => {
    if (question === undefined) return;
    const stopped = new AbortController();
    const timer = setTimeout(async () => {
      // Without a reply there is nothing to choose from.
      const reply = await ask(JSON.parse(question), stopped.signal).catch(() => undefined);
      if (stopped.signal.aborted || reply === undefined) return;
      setNear(reply.near);
      setFound([
        ...reply.fields.map(({ field, experiments, isMinimum }) => ({
          text: field,
          experiments: leastText(experiments, isMinimum),
        })),
        ...reply.values.map(({ text, experiments, isMinimum }) => ({
          text,
          experiments: leastText(experiments, isMinimum),
        })),
      ]);
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      stopped.abort();
    };
  }, [question, ask]);
  return { found, near };
}
