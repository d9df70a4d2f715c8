import type { ExperimentRecord } from "@lossless/client";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Dialog } from "../parts/dialog.tsx";
import { SaveForm } from "../parts/save-form.tsx";
import { TagChip } from "../parts/tag-chip.tsx";
import { countedText, leastText, messageOf } from "../parts/words.ts";
import type { Service } from "../signed-in.ts";
import { countedTags } from "./tags.ts";
import type { MetasWritten } from "../parts/write-metas.ts";
import { writeTags } from "./write-tags.ts";

interface Props {
  service: Service;
  experimentIds: readonly string[];
  onWritten: (written: MetasWritten) => void;
  onClose: () => void;
}

/** Changes the tags of some experiments: which of them have each, and what is to be added. */
export function TagsDialog({ service, experimentIds, onWritten, onClose }: Props) {
  const [records, setRecords] = useState<readonly ExperimentRecord[]>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    service.client.experiments(experimentIds).then(
      ({ experiments }) => setRecords(experiments),
      (error: unknown) => setProblem(messageOf(error)),
    );
  }, []);
  const { length } = experimentIds;
  return (
    <Dialog title={length === 1 ? "Tags" : `Tags of ${length} experiments`} onClose={onClose}>
      {problem !== undefined && <p role="alert">{problem}</p>}
      {records === undefined ? (
        problem === undefined && <p class="hint">Loading the tags …</p>
      ) : (
        <TagsForm {...{ service, records, onWritten }} />
      )}
    </Dialog>
  );
}

interface FormProps extends Pick<Props, "service" | "onWritten"> {
  records: readonly ExperimentRecord[];
}

function TagsForm({ service, records, onWritten }: FormProps) {
  const [text, setText] = useState("");
  const [wanted, setWanted] = useState<ReadonlyMap<string, boolean>>(new Map());
  const had = useMemo(() => countedTags(records.map(({ meta }) => meta._tags)), [records]);
  const known = useKnownTags(service, text);
  const typed = text.trim();
  const shares = new Map(had.map(({ tag, experiments }) => [tag, experiments]));
  const want = (tag: string, isWanted: boolean) => setWanted(new Map(wanted).set(tag, isWanted));
  const isShown = (tag: string) => tag.toLowerCase().includes(typed.toLowerCase());
  const own = new Set([...wanted.keys(), ...shares.keys()]);
  const others = known.filter(({ tag }) => !own.has(tag));
  const isNew = typed !== "" && !own.has(typed) && !others.some(({ tag }) => tag === typed);
  const line = (tag: string, words: string) => (
    <TagLine
      key={tag}
      tag={tag}
      words={words}
      isOn={wanted.get(tag) ?? shareOf(shares.get(tag), records.length)}
      onChange={(isOn) => want(tag, isOn)}
    />
  );
  const save = async () => {
    const tagsWanted = (isOn: boolean) =>
      [...wanted].filter(([, each]) => each === isOn).map(([tag]) => tag);
    const change = { add: tagsWanted(true), remove: tagsWanted(false) };
    onWritten(await writeTags(service, records, change));
  };
  return (
    <SaveForm action="Save" save={save}>
      <input
        aria-label="Find or add a tag"
        placeholder="Find a tag, or type a new one and press Enter"
        value={text}
        autocomplete="off"
        maxLength={256}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          const isPlain = event.key === "Enter" && !event.ctrlKey && !event.metaKey;
          if (!isPlain || typed === "") return;
          event.preventDefault();
          want(typed, true);
          setText("");
        }}
      />
      <ul class="tag-list">
        {isNew && line(typed, "new")}
        {[...own].filter(isShown).map((tag) => line(tag, shareText(shares.get(tag) ?? 0, records)))}
        {others.map(({ tag, count }) => line(tag, `in ${count}`))}
      </ul>
    </SaveForm>
  );
}

interface LineProps {
  tag: string;
  words: string;
  /** Undefined: some of the experiments have it. */
  isOn: boolean | undefined;
  onChange: (isOn: boolean) => void;
}

function TagLine({ tag, words, isOn, onChange }: LineProps) {
  return (
    <li>
      <label class="tag-line">
        <input
          type="checkbox"
          checked={isOn === true}
          indeterminate={isOn === undefined}
          onChange={() => onChange(isOn !== true)}
        />
        <TagChip tag={tag} /> <span class="count">{words}</span>
      </label>
    </li>
  );
}

/** Whether all of the experiments have a tag, or none; undefined: some. */
function shareOf(experiments = 0, all: number): boolean | undefined {
  if (experiments === 0) return false;
  return experiments === all ? true : undefined;
}

function shareText(experiments: number, { length }: readonly unknown[]): string {
  if (length === 1) return "";
  if (experiments === 0) return "in none";
  return experiments === length
    ? "in all"
    : `in ${experiments} of ${countedText(length, "experiment")}`;
}

const knownMax = 12;
/** Milliseconds after a key before the service is asked: another key may follow. */
const pauseMs = 100;

/** Tags of the organization that contain a text, the most common first. */
function useKnownTags({ client }: Service, text: string) {
  const [known, setKnown] = useState<readonly { tag: string; count: string }[]>([]);
  useEffect(() => {
    const stopped = new AbortController();
    const timer = setTimeout(async () => {
      const body = { field: "tag", text: text.trim(), limit: knownMax };
      const reply = await client.views.fields(body, stopped.signal).catch(() => undefined);
      if (reply === undefined || stopped.signal.aborted) return;
      setKnown(
        reply.values.flatMap(({ value, experiments, isMinimum }) =>
          typeof value === "string"
            ? [{ tag: value, count: leastText(experiments, isMinimum) }]
            : [],
        ),
      );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      stopped.abort();
    };
  }, [client, text]);
  return known;
}
