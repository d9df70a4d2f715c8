import { limits } from "@lossless/protocol/limits";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { choiceName } from "../../chart/groups/keys.ts";
import type { RankedKey } from "../../chart/groups/ranked-keys.ts";
import type { Grouping } from "../../chart/view.ts";
import { pause } from "../../parts/pause.ts";
import { toggled } from "../../parts/toggled.ts";
import { useRead } from "../../parts/use-read.ts";
import { countedText } from "../../parts/words.ts";
import { namePattern } from "./sections.ts";

/** A key to choose, as the list has it. */
export interface KeyChoice {
  key: string;
  name: string;
  /** Words about its values. */
  words?: string;
  /** Whether groups may have all keys but this one. */
  isLeftOut?: boolean;
}

interface Props {
  /** Undefined until they are read. */
  keys: readonly KeyChoice[] | undefined;
  /** Names that the list lacks. */
  search?: (text: string, stopped: AbortSignal) => Promise<readonly KeyChoice[]>;
  problem?: string | undefined;
  grouping: Grouping | undefined;
  change: (grouping: Grouping | undefined) => void;
}

/** Milliseconds after a key before the service is asked: another key may follow. */
const pauseMs = 100;
/** Room between the list and the edge of the window. */
const edgePixels = 8;

/**
 * Chooses the keys of groups: one click for each, also of several, and at once what they do. Enter
 * takes the first that a text finds, and closes the menu, which covers what the key groups.
 */
export function KeyPicker({ keys, search, problem, grouping, change }: Props) {
  const [text, setText] = useState("");
  const part = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => moveIntoWindow(part.current!.parentElement!));
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const { found: more = [] } = useRead(
    async (stopped) => {
      if (text === "" || search === undefined) return [];
      await pause(pauseMs, stopped);
      return search(text, stopped);
    },
    [text],
  );
  const { test: isNamed } = namePattern(text);
  const known = [...unlisted(grouping, keys), ...(keys ?? [])];
  const listed = known.filter(({ key, name }) => isNamed(key) || isNamed(name));
  const shown = [...listed, ...more.filter(({ key }) => !known.some((one) => one.key === key))];
  const isFull = grouping?.kind === "by" && grouping.keys.length >= limits.groupKeysMax;
  const choose = (kind: Grouping["kind"], key: string) => {
    const next = toggled(grouping?.kind === kind ? grouping.keys : [], key);
    if (kind === "by" && next.length > limits.groupKeysMax) return;
    change(next.length === 0 ? undefined : { kind, keys: next });
  };
  const isChosen = (kind: Grouping["kind"], key: string) =>
    grouping?.kind === kind && grouping.keys.includes(key);
  return (
    <div class="key-picker" ref={part}>
      <input
        type="search"
        ref={field}
        aria-label="Search keys"
        placeholder="Key"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || shown.length === 0) return;
          choose("by", shown[0].key);
          // The same press would open it again.
          event.preventDefault();
          closeMenu(part.current!);
        }}
      />
      {problem !== undefined && <p role="alert">{problem}</p>}
      {keys === undefined && problem === undefined && <p class="waiting">Reading keys …</p>}
      <ul
        aria-label="Keys"
        // The field keeps the focus, for the next key.
        onMouseDown={(event) => event.preventDefault()}
      >
        {shown.map((choice) => (
          <KeyLine key={choice.key} {...{ choice, isChosen, choose }} />
        ))}
      </ul>
      {isFull && <p class="soft">At most {limits.groupKeysMax} keys group.</p>}
      {keys !== undefined && shown.length === 0 && (
        <p class="soft">
          {search === undefined
            ? "No key with this name has different values here."
            : "No key has this name."}
        </p>
      )}
    </div>
  );
}

interface LineProps {
  choice: KeyChoice;
  isChosen: (kind: Grouping["kind"], key: string) => boolean;
  choose: (kind: Grouping["kind"], key: string) => void;
}

function KeyLine({ choice: { key, name, words, isLeftOut }, isChosen, choose }: LineProps) {
  return (
    <li>
      <button
        type="button"
        title={key}
        aria-pressed={isChosen("by", key)}
        onClick={() => choose("by", key)}
      >
        <bdi>{name}</bdi> {words !== undefined && <span class="count">{words}</span>}
      </button>
      {isLeftOut === true && (
        <button
          type="button"
          aria-label={`all but ${name}`}
          aria-pressed={isChosen("without", key)}
          onClick={() => choose("without", key)}
        >
          all but
        </button>
      )}
    </li>
  );
}

/** Moves a menu that begins far to the right. */
function moveIntoWindow(menu: HTMLElement): void {
  menu.style.marginLeft = "";
  const { clientWidth } = document.documentElement;
  const over = menu.getBoundingClientRect().right + edgePixels - clientWidth;
  if (over > 0) menu.style.marginLeft = `${-over}px`;
}

function closeMenu(part: HTMLElement): void {
  const button = part.closest("details")?.querySelector("summary");
  button?.focus();
  button?.click();
}

/** Chosen keys that do not differ here, or are gone. */
function unlisted(grouping: Grouping | undefined, keys: Props["keys"]): KeyChoice[] {
  const left = (grouping?.keys ?? []).filter((key) => !keys?.some((one) => one.key === key));
  return left.map((key) => ({ key, name: choiceName(key) }));
}

/** A key with different values as a choice. */
export function rankedChoice({ key, values }: Pick<RankedKey, "key" | "values">): KeyChoice {
  return { key, name: key, words: countedText(values, "value") };
}
