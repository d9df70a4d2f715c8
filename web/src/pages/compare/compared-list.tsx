import { useComputed, useSignalEffect, type Signal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { CutName } from "../../parts/cut-name.tsx";
import type { Pointed } from "../../chart/cursor/board.ts";
import { Swatch } from "../../chart/lines/swatch.tsx";
import type { PageLocation } from "../../location.ts";
import { ListedNames } from "../../parts/listed-names.ts";
import { countedText, countText, statusSigns } from "../../parts/words.ts";
import { namePattern } from "../experiment/sections.ts";
import { readApartView } from "./apart/apart-view.ts";
import type { CompareAddress, Mark } from "./compare-address.ts";
import { areAlone, listChanges } from "./list-changes.ts";
import { listActionOf } from "./list-keys.ts";
import type { Compared, ComparedExperiment } from "./use-compared.ts";

interface Props {
  compared: Compared;
  address: CompareAddress;
  location: PageLocation;
  /** Chooses the colour of an experiment; undefined: the reader may not. */
  onColour: ((experimentIds: readonly string[]) => void) | undefined;
  /** Under the pointer: lines of a row here are raised, rows of a line in a chart are marked. */
  pointed: Signal<Pointed | undefined>;
}

/** Experiments from which there is a search field. */
const searchedFrom = 12;

/** The compared experiments with their colours, and actions on each. A single Tab stop. */
export function ComparedList({ compared, address, location, onColour, pointed }: Props) {
  const { experiments, reference, cut } = compared;
  const [text, setText] = useState("");
  const [isShown, setIsShown] = useState(false);
  const change = listChanges(location, address, experiments);
  const shown = experiments.filter((one) => isFound(one, text));
  const found = shown.length < experiments.length ? shown.map((one) => one.experimentId) : [];
  const isAlone = areAlone(found, address, experiments);
  const showFound = () => found.length > 0 && change.alone(...found);
  const isAnyDone = experiments.some(({ status, isHidden }) => status === "done" && !isHidden);
  return (
    <section class="compared" aria-label="Compared experiments">
      <h1>
        {cut === undefined
          ? countedText(experiments.length, "experiment")
          : `The first ${countText(cut.shown)} of ${countedText(cut.of, "experiment")}`}
      </h1>
      <button
        type="button"
        class="list-button"
        aria-expanded={isShown}
        onClick={() => setIsShown(!isShown)}
      >
        list ▾
      </button>
      <div class="list" data-shown={isShown}>
        <p class="choices">
          <button type="button" disabled={address.hidden.size === 0} onClick={change.showAll}>
            show all
          </button>
          <button type="button" disabled={!isAnyDone} onClick={change.hideDone}>
            hide done
          </button>
        </p>
        {(experiments.length > searchedFrom || text !== "") && (
          <Search {...{ text, found, isAlone }} onType={setText} onAlone={showFound} />
        )}
        <Lines
          shown={shown}
          reference={reference?.experimentId}
          marked={address.marked}
          isMarking={readApartView((name) => location.parameter(name)).way === "marked"}
          change={change}
          onFound={showFound}
          onColour={onColour}
          pointed={pointed}
          onOpen={(id) => location.open(`/experiments/${encodeURIComponent(id)}`)}
        />
      </div>
    </section>
  );
}

interface SearchProps {
  text: string;
  /** The experiments that it finds, if these are not all. */
  found: readonly string[];
  /** Whether the others are hidden. */
  isAlone: boolean;
  onType: (text: string) => void;
  /** Shows only those found; the second time everything. */
  onAlone: () => void;
}

/** Finds lines of the list by their names, and hides all others in the charts, too. */
function Search({ text, found, isAlone, onType, onAlone }: SearchProps) {
  return (
    <>
      <input
        type="search"
        aria-label="Search compared experiments"
        placeholder="Search experiments"
        value={text}
        onInput={(event) => onType(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && !isAlone && onAlone()}
      />
      {found.length > 0 && (
        <p class="choices">
          <button
            type="button"
            aria-pressed={isAlone}
            title={`${isAlone ? "show all" : "hide the others"} in the charts (${isAlone ? "" : "Enter, or "}O in the list)`}
            onClick={onAlone}
          >
            {found.length === 1 ? "only this one" : `only these ${countText(found.length)}`}
          </button>
        </p>
      )}
    </>
  );
}

type ListChanges = ReturnType<typeof listChanges>;

interface LinesProps extends Pick<Props, "onColour" | "pointed"> {
  shown: readonly ComparedExperiment[];
  reference: string | undefined;
  marked: CompareAddress["marked"];
  /** Whether groups are being made by hand. */
  isMarking: boolean;
  change: ListChanges;
  /** Shows only what the search finds. */
  onFound: () => void;
  onOpen: (experimentId: string) => void;
}

/** Lines of the list, one of which has the focus; keys act on it. */
function Lines({ shown, reference, marked, isMarking, change, onColour, ...props }: LinesProps) {
  const { onOpen, onFound, pointed } = props;
  const [at, setAt] = useState(0);
  const isRemoving = useRef(false);
  const list = useRef<HTMLUListElement>(null);
  const names = useMemo(
    () => new ListedNames(shown.map(({ name, slug }) => name ?? slug)),
    [shown],
  );
  const active = Math.max(0, Math.min(at, shown.length - 1));
  const focus = (line: number) => {
    setAt(line);
    list.current?.children[line]?.querySelector<HTMLElement>(".slug")?.focus();
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = listActionOf(event.key, active, shown.length);
    const id = shown[active]?.experimentId;
    if (action === undefined || id === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (action.kind === "go") return focus(action.to);
    isRemoving.current = action.kind === "remove";
    if (action.kind === "open") onOpen(id);
    else if (action.kind === "found") onFound();
    else if (action.kind === "colour") onColour?.([id]);
    else if (action.kind === "mark") change.mark(id, action.mark);
    else change[action.kind](id);
  };
  usePointedInView(list, pointed, shown);
  // The line that follows a removed one gets the focus.
  useLayoutEffect(() => {
    if (isRemoving.current) focus(active);
    isRemoving.current = false;
  }, [shown.length]);
  return (
    <>
      <ul ref={list} onKeyDown={press}>
        {shown.map((one, line) => (
          <ComparedLine
            key={one.experimentId}
            one={one}
            isReference={one.experimentId === reference}
            mark={marked.get(one.experimentId)}
            isMarking={isMarking}
            isActive={line === active}
            onFocus={() => setAt(line)}
            pointed={pointed}
            change={change}
            onColour={onColour}
            names={names}
          />
        ))}
      </ul>
      {shown.length === 0 && <p class="count">No experiment matches.</p>}
    </>
  );
}

/** Scrolls the list, and nothing around it, to the row of a line under the pointer. */
function usePointedInView(
  list: { current: HTMLUListElement | null },
  pointed: Props["pointed"],
  shown: readonly ComparedExperiment[],
): void {
  const rows = useRef(shown);
  rows.current = shown;
  useSignalEffect(() => {
    const { line, experimentIds = [] } = pointed.value ?? {};
    const element = list.current;
    if (line === undefined || element === null) return;
    const at = rows.current.findIndex((one) => experimentIds.includes(one.experimentId));
    const [row, room] = [element.children[at], element].map((one) => one?.getBoundingClientRect());
    if (row === undefined || room === undefined) return;
    if (row.top < room.top) element.scrollTop -= room.top - row.top;
    else if (row.bottom > room.bottom) element.scrollTop += row.bottom - room.bottom;
  });
}

interface LineProps extends Pick<Props, "onColour" | "pointed"> {
  /** The names of the list. */
  names: ListedNames;
  one: ComparedExperiment;
  isReference: boolean;
  mark: Mark | undefined;
  isMarking: boolean;
  isActive: boolean;
  onFocus: () => void;
  change: ListChanges;
}

const keyHelp =
  "Space hides it, o shows it alone, O only what the search finds, r makes it the baseline, a and b put it into a group, c chooses its colour, Delete removes it, Enter opens it";
const keys = "ArrowUp ArrowDown Space o Shift+O r a b c Delete Enter";

function ComparedLine(props: LineProps) {
  const { one, isReference, mark, isMarking, isActive, onFocus, pointed, ...rest } = props;
  const { change, onColour, names } = rest;
  const { experimentId, slug, name, status, kind, isHidden } = one;
  const shown = name ?? slug;
  const isPointed = useComputed(
    () => pointed.value?.line !== undefined && pointed.value.experimentIds.includes(experimentId),
  );
  return (
    <li
      data-hidden={isHidden}
      data-pointed={isPointed.value || undefined}
      onMouseEnter={() => (pointed.value = { experimentIds: [experimentId] })}
      onMouseLeave={() => (pointed.value = undefined)}
    >
      <button
        type="button"
        class="slug"
        title={`${shown}\n${keyHelp}`}
        aria-label={`${shown} ${status}`}
        aria-pressed={!isHidden}
        aria-keyshortcuts={keys}
        tabIndex={isActive ? 0 : -1}
        onClick={() => change.toggle(experimentId)}
        onFocus={onFocus}
      >
        <Swatch kind={kind} />
        <CutName name={shown} names={names} />
        <span class={`status ${status}`} aria-label={status} title={status} role="img">
          {statusSigns[status]}
        </span>
      </button>
      {isReference && (
        <span class="is-reference" title="the others are compared with this one">
          baseline
        </span>
      )}
      {isMarking && <Marks {...{ experimentId, shown, mark, change }} />}
      <Tools {...{ one, isReference, change, onColour }} shown={shown} />
    </li>
  );
}

type ToolsProps = Pick<LineProps, "one" | "isReference" | "change" | "onColour"> & {
  shown: string;
};

/** Actions on an experiment, which keys do too. */
function Tools({ one, isReference, change, onColour, shown }: ToolsProps) {
  const { experimentId, kind } = one;
  return (
    <span class="tools">
      {onColour !== undefined && (
        <button
          type="button"
          class={`colour line-${kind.colour}`}
          aria-label={`Colour of ${shown}`}
          title="choose its colour"
          tabIndex={-1}
          onClick={() => onColour([experimentId])}
        >
          ●
        </button>
      )}
      <button
        type="button"
        class="refer"
        aria-pressed={isReference}
        aria-label={`baseline: compare the others with ${shown}`}
        title="compare the others with this one"
        tabIndex={-1}
        onClick={() => change.refer(experimentId)}
      >
        base
      </button>
      <a
        class="open"
        href={`/experiments/${encodeURIComponent(experimentId)}`}
        aria-label={`open ${shown}`}
        title="open"
        tabIndex={-1}
      >
        ↗
      </a>
      <button
        type="button"
        class="remove"
        aria-label={`Remove ${shown}`}
        title="remove from the comparison"
        tabIndex={-1}
        onClick={() => change.remove(experimentId)}
      >
        ✕
      </button>
    </span>
  );
}

interface MarksProps extends Pick<LineProps, "mark" | "change"> {
  experimentId: string;
  shown: string;
}

/** The group of an experiment. */
function Marks({ experimentId, shown, mark, change }: MarksProps) {
  return (
    <span class="marks">
      {(["a", "b"] as const).map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={mark === each}
          aria-label={`mark ${shown} ${each.toUpperCase()}`}
          tabIndex={-1}
          onClick={() => change.mark(experimentId, each)}
        >
          {each.toUpperCase()}
        </button>
      ))}
    </span>
  );
}

function isFound({ slug, name }: ComparedExperiment, text: string): boolean {
  const { test } = namePattern(text);
  return test(slug) || (name !== null && test(name));
}
