import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Swatch } from "../../chart/swatch.tsx";
import type { PageLocation } from "../../location.ts";
import { countText, statusSigns } from "../../parts/words.ts";
import type { CompareAddress } from "./compare-address.ts";
import { listChanges } from "./list-changes.ts";
import { listActionOf } from "./list-keys.ts";
import type { Compared, ComparedExperiment } from "./use-compared.ts";

interface Props {
  compared: Compared;
  address: CompareAddress;
  location: PageLocation;
}

/** So few are found by looking. */
const searchedFrom = 12;

/** Who is compared, in which colour, and what can be done with each. One stop of the tab key. */
export function ComparedList({ compared, address, location }: Props) {
  const { experiments, reference } = compared;
  const [text, setText] = useState("");
  const [isShown, setIsShown] = useState(false);
  const change = listChanges(location, address, experiments);
  const isAnyDone = experiments.some(({ status, isHidden }) => status === "done" && !isHidden);
  return (
    <section class="compared" aria-label="Compared experiments">
      <h1>
        {experiments.length === 1 ? "1 experiment" : `${countText(experiments.length)} experiments`}
      </h1>
      <button
        type="button"
        class="list-button"
        aria-expanded={isShown}
        onClick={() => setIsShown(!isShown)}
      >
        which ▾
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
        {experiments.length > searchedFrom && (
          <input
            type="search"
            aria-label="Search compared experiments"
            placeholder="Search them"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
        <Lines
          shown={experiments.filter((one) => isFound(one, text))}
          reference={reference?.experimentId}
          change={change}
          onOpen={(id) => location.open(`/experiments/${encodeURIComponent(id)}`)}
        />
      </div>
    </section>
  );
}

type ListChanges = ReturnType<typeof listChanges>;

interface LinesProps {
  shown: readonly ComparedExperiment[];
  reference: string | undefined;
  change: ListChanges;
  onOpen: (experimentId: string) => void;
}

/** One of them has the keyboard; keys act on it. */
function Lines({ shown, reference, change, onOpen }: LinesProps) {
  const [at, setAt] = useState(0);
  const isRemoving = useRef(false);
  const list = useRef<HTMLUListElement>(null);
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
    else change[action.kind](id);
  };
  // Who follows has the keyboard then.
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
            isActive={line === active}
            onFocus={() => setAt(line)}
            change={change}
          />
        ))}
      </ul>
      {shown.length === 0 && <p class="count">None of them is called that.</p>}
    </>
  );
}

interface LineProps {
  one: ComparedExperiment;
  isReference: boolean;
  isActive: boolean;
  onFocus: () => void;
  change: ListChanges;
}

const keyHelp =
  "Space hides it, o shows it alone, r makes it the reference, Delete removes it, Enter opens it";
const keys = "ArrowUp ArrowDown Space r Delete Enter";

function ComparedLine({ one, isReference, isActive, onFocus, change }: LineProps) {
  const { experimentId, slug, name, status, kind, isHidden } = one;
  const shown = name ?? slug;
  return (
    <li data-hidden={isHidden}>
      <button
        type="button"
        class="slug"
        title={`${shown}\n${keyHelp}`}
        aria-pressed={!isHidden}
        aria-keyshortcuts={keys}
        tabIndex={isActive ? 0 : -1}
        onClick={() => change.toggle(experimentId)}
        onFocus={onFocus}
      >
        <Swatch kind={kind} />
        <bdi>{shown}</bdi>
        <span class={`status ${status}`} aria-label={status} title={status} role="img">
          {statusSigns[status]}
        </span>
      </button>
      {isReference && (
        <span class="is-reference" title="the others are compared with this one">
          ref
        </span>
      )}
      <span class="tools">
        <button
          type="button"
          class="refer"
          aria-pressed={isReference}
          aria-label={`ref: compare others with ${shown}`}
          title="compare the others with this one"
          tabIndex={-1}
          onClick={() => change.refer(experimentId)}
        >
          ref
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
          aria-label={`without ${shown}`}
          title="take it out of the comparison"
          tabIndex={-1}
          onClick={() => change.remove(experimentId)}
        >
          ✕
        </button>
      </span>
    </li>
  );
}

function isFound({ slug, name }: ComparedExperiment, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  return `${slug}\n${name ?? ""}`.toLowerCase().includes(wanted);
}
