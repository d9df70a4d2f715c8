import type { LoggedNamesReply, LoggedStepsReply } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { pause } from "../parts/pause.ts";
import { persistently } from "../parts/persistently.ts";
import type { Service } from "../signed-in.ts";
import type { MediaSeries } from "./logged-series.ts";

/** Milliseconds between reads of the names while points arrive, which change the revision, too. */
const restMs = 5_000;

/** The series that experiments logged beside numbers. */
export interface Logged {
  series: readonly MediaSeries[];
  /** Series that there are; more than `series` were cut. */
  found: number;
  /** Counts the times that something new was there. */
  version: number;
  /** The steps of a slider. */
  steps: readonly number[];
  /** Steps that there are, and whether there may be more. */
  stepsFound: number;
  isMinimum: boolean;
  /** Some may be missing, as after an upgrade. */
  isBehind: boolean;
}

/** The version of the first reply. */
export const firstVersion = 1;

interface KnownNames {
  of: string;
  reply: LoggedNamesReply;
  version: number;
}

/**
 * Follows the names under which experiments log media, texts and histograms, and their steps. Until
 * they are read it is undefined. `search` finds names where there are too many for one reply.
 * `onFirst` is called with the first reply, before anything is drawn.
 */
export function useLogged(
  service: Service,
  experiments: readonly { experimentId: string; revision: number }[],
  search: string,
  onFirst?: (reply: LoggedNamesReply) => void,
): Logged | undefined {
  const ids = experiments.map(({ experimentId }) => experimentId);
  const revisions = experiments.map(({ revision }) => revision).join();
  const names = useNames(service, ids, revisions, { search, onFirst });
  const steps = useSteps(service, ids, names);
  return useMemo(() => {
    if (names === undefined) return undefined;
    const { series, found, isBehind } = names.reply;
    const known = { steps: steps?.steps ?? [], stepsFound: steps?.found ?? 0 };
    return {
      series,
      found,
      version: names.version,
      ...known,
      isMinimum: steps?.isMinimum ?? false,
      isBehind,
    };
  }, [names, steps]);
}

function useNames(
  { client }: Service,
  ids: readonly string[],
  revisions: string,
  { search, onFirst }: { search: string; onFirst: ((reply: LoggedNamesReply) => void) | undefined },
): KnownNames | undefined {
  const [known, setKnown] = useState<KnownNames>();
  const isCut = useRef(false);
  const isAnswered = useRef(false);
  const text = isCut.current && !search.includes("*") ? search.trim() : "";
  const of = JSON.stringify([ids, text]);
  const latest = useRef({ revisions, onFirst });
  latest.current = { revisions, onFirst };
  useEffect(() => {
    const stopped = new AbortController();
    const { signal } = stopped;
    const read = () =>
      client.logged.names({ experimentIds: [...ids], ...(text !== "" && { text }) }, signal);
    const follow = async () => {
      let seen: string | undefined;
      while (!signal.aborted) {
        if (latest.current.revisions !== seen && !document.hidden) {
          const { revisions } = latest.current;
          const reply = await persistently(read, signal);
          if (reply === undefined) return;
          // What was logged before an upgrade comes without a new revision.
          seen = reply.isBehind ? undefined : revisions;
          if (!isAnswered.current) latest.current.onFirst?.(reply);
          isAnswered.current = true;
          if (text === "") isCut.current = reply.found > reply.series.length;
          setKnown((before) => together(before, of, reply));
        }
        await pause(restMs, signal);
      }
    };
    if (ids.length > 0) void follow();
    return () => stopped.abort();
  }, [client, of]);
  return ids.length === 0 ? undefined : known;
}

/** The same object where nothing is new, so that nothing else is read or drawn. */
function together(before: KnownNames | undefined, of: string, reply: LoggedNamesReply): KnownNames {
  const isSame = before?.of === of && JSON.stringify(before.reply) === JSON.stringify(reply);
  return isSame ? before : { of, reply, version: (before?.version ?? firstVersion - 1) + 1 };
}

function useSteps(
  { client }: Service,
  ids: readonly string[],
  names: KnownNames | undefined,
): LoggedStepsReply | undefined {
  const [found, setFound] = useState<LoggedStepsReply>();
  useEffect(() => {
    const series = (names?.reply.series ?? [])
      .slice(0, limits.loggedSeriesMax)
      .map(({ kind, name }) => ({ kind, name }));
    if (series.length === 0) return setFound(undefined);
    const stopped = new AbortController();
    const read = () => client.logged.steps({ experimentIds: [...ids], series }, stopped.signal);
    // Without them only the slider is missing.
    void persistently(read, stopped.signal).then((reply) => reply && setFound(reply));
    return () => stopped.abort();
  }, [client, names]);
  return found;
}
