import type { ComparedKey, ComparedValue } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { isCommand, isPlaceOfDiff, originPart } from "@lossless/protocol/origin";
import type { RunAttribute } from "../../experiments/summaries/config.ts";
import { keyTest } from "./key-test.ts";
import { attributeLeaves, type RecordedLeaf, recordedLeaves } from "./recorded-leaves.ts";

/** The keys that a reply lists, and how many. */
export interface WantedKeys {
  text: string;
  equalKeys: boolean;
  hiddenKeys: boolean;
  keysMax: number;
}

interface Key {
  values: ComparedValue[];
  /** The place of a value in `values`. */
  places: Map<string, number>;
  /** Value of each experiment, both as places. */
  owners: Map<number, number>;
}

/** The keys of some experiments' metas, side by side. */
export class ComparedMetas {
  readonly #experiments: number;
  readonly #keys = new Map<string, Key>();
  /** The experiments that have any of a part of source and environment. */
  readonly #havers = new Map<string, Set<number>>();
  #uncompared = 0;

  constructor(experiments: number) {
    this.#experiments = experiments;
  }

  /**
   * Adds the meta of the experiment at this place, and a run's params and tags where the meta has
   * nothing at their paths; returns the name that they have for it.
   */
  add(at: number, meta: string, attributes: readonly RunAttribute[] = []): string | null {
    let name: string | null = null;
    for (const leaf of leavesOf(meta, attributes)) {
      if (leaf.path === "_name" && leaf.kind === "text") name = leaf.text;
      this.#note(at, originPart(leaf.path));
      const key = this.#keyOf(leaf.path);
      if (key === undefined) this.#uncompared++;
      else key.owners.set(at, placeOf(leaf, key));
    }
    return name === null || name === "" ? null : shortened(name);
  }

  compare({ text, equalKeys, hiddenKeys, keysMax }: WantedKeys) {
    const isWanted = keyTest(text);
    const counts = { differingKeys: 0, equalKeys: 0, hiddenKeys: 0 };
    const keys: ComparedKey[] = [];
    for (const [path, key] of this.#keys) {
      const field = `meta.${path}`;
      if (!isWanted(path)) continue;
      if (!hiddenKeys && isHidden(path)) {
        counts.hiddenKeys++;
        continue;
      }
      const part = originPart(path);
      const havers = part === undefined ? this.#experiments : this.#havers.get(part)!.size;
      const isEqual = key.values.length === 1 && key.owners.size === havers;
      counts[isEqual ? "equalKeys" : "differingKeys"]++;
      if ((isEqual && !equalKeys) || keys.length === keysMax) continue;
      const valueOf = Array.from(
        { length: this.#experiments },
        (_, at) => key.owners.get(at) ?? null,
      );
      keys.push({ field, values: key.values, valueOf });
    }
    return { keys, ...counts, uncomparedValues: this.#uncompared };
  }

  #note(at: number, part: string | undefined): void {
    if (part === undefined) return;
    const havers = this.#havers.get(part);
    if (havers === undefined) this.#havers.set(part, new Set([at]));
    else havers.add(at);
  }

  #keyOf(path: string): Key | undefined {
    const known = this.#keys.get(path);
    if (known !== undefined) return known;
    if (this.#keys.size === limits.differenceKeysComparedMax) return undefined;
    if (Buffer.byteLength(path) > limits.differenceKeyBytesMax) return undefined;
    const key = { values: [], places: new Map(), owners: new Map() };
    this.#keys.set(path, key);
    return key;
  }
}

/**
 * Whether the outermost name of a path begins with an underscore, in quotation marks or not, except
 * for source and environment without the command; or it is a tag that MLflow's clients write by
 * themselves.
 */
export function isHidden(path: string): boolean {
  if (originPart(path) !== undefined) return isPlaceOfDiff(path) || isCommand(path);
  return ["_", '"_', "tag.mlflow."].some((start) => path.startsWith(start));
}

function* leavesOf(meta: string, attributes: readonly RunAttribute[]): Generator<RecordedLeaf> {
  const taken = new Set<string>();
  for (const leaf of recordedLeaves(meta)) {
    if (attributes.length > 0) taken.add(leaf.path);
    yield leaf;
  }
  for (const leaf of attributeLeaves(attributes)) if (!taken.has(leaf.path)) yield leaf;
}

function placeOf({ kind, text, identity }: RecordedLeaf, { values, places }: Key): number {
  const known = places.get(identity);
  if (known !== undefined) return known;
  const shown = shortened(text);
  places.set(identity, values.length);
  return values.push({ kind, text: shown, isCut: shown.length < text.length }) - 1;
}

function shortened(text: string): string {
  if (text.length <= limits.differenceTextCharactersMax) return text;
  // A cut may split a surrogate pair.
  return text.slice(0, limits.differenceTextCharactersMax).replace(/[\uD800-\uDBFF]$/, "");
}
