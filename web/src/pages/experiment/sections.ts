import { nameTest } from "@lossless/protocol/name-search";
import { usualDirection } from "../../parts/directions.ts";
import { QueryError } from "@lossless/protocol/query-error";

export interface Section {
  name: string;
  series: string[];
  /** Whether it is closed at first. */
  isClosed: boolean;
}

/**
 * Series up to which there are no sections, whatever the names: headings would only separate them.
 */
const togetherMax = 8;
/** Sections listed first, before others by name, and the one listed last. */
const firstNames = ["train", "val", "eval", "test"];
const lastName = "system";

/**
 * Groups series by the first part of their names: `train/loss` and `train/lr` are together. What a
 * search for names finds is one section.
 */
export function sectionsOf(names: readonly string[], pattern: string): Section[] {
  if (pattern.trim() === "") return sectionsByName(names, areFew(names));
  const wanted = namePattern(pattern);
  const hits = names.filter((name) => wanted.test(name));
  const found = sectionsByName(hits, false).flatMap(({ series }) => series);
  return listed("found", found);
}

/** Whether series are too few for sections. */
export function areFew(names: readonly string[]): boolean {
  return names.filter((name) => partOf(name) !== lastName).length <= togetherMax;
}

/** Sections by the first part of names; of a few, all that are open are one. */
export function sectionsByName(names: readonly string[], areTogether: boolean): Section[] {
  const found = [...Map.groupBy(inNumbersOrder(names), partOf)]
    .map(([name, series]) => ({ name, series: goalsFirst(series), isClosed: name === lastName }))
    .sort((left, right) => rank(left.name) - rank(right.name));
  const open = found.filter(({ isClosed }) => !isClosed);
  if (!areTogether || open.length < 2) return found;
  const all = open.flatMap(({ series }) => series);
  return [...listed("metrics", goalsFirst(all)), ...found.filter(({ isClosed }) => isClosed)];
}

/** Names in their order, numbers within them by their size: `layer2` before `layer10`. */
function inNumbersOrder(names: readonly string[]): string[] {
  const keyed = names.map((name) => ({
    name,
    key: name.replace(/\d+/g, (digits) => digits.padStart(16, "0")),
  }));
  keyed.sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0));
  return keyed.map(({ name }) => name);
}

/** Losses, errors and accuracies before what only explains them, such as a norm of gradients. */
function goalsFirst(series: readonly string[]): string[] {
  const rankOf = (name: string) => (usualDirection(name) === "none" ? 1 : 0);
  return series.toSorted((left, right) => rankOf(left) - rankOf(right));
}

/** A section, unless it is empty. */
export function listed(name: string, series: string[], isClosed = false): Section[] {
  return series.length === 0 ? [] : [{ name, series, isClosed }];
}

function partOf(name: string): string {
  return name.indexOf("/") > 0 ? name.slice(0, name.indexOf("/")) : "metrics";
}

function rank(name: string): number {
  if (name === lastName) return firstNames.length + 1;
  const at = firstNames.indexOf(name);
  return at === -1 ? firstNames.length : at;
}

/** The test of a search for names. A wrong regular expression fits none, and says why. */
export function namePattern(text: string): { test: (name: string) => boolean; problem?: string } {
  try {
    return { test: nameTest(text) };
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return { test: () => false, problem: error.message };
  }
}

/** Says why a search finds no series. */
export function unmatchedText(search: string): string {
  return namePattern(search).problem ?? "No metric matches.";
}
