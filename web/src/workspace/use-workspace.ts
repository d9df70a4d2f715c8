import type { Layout, Workspace } from "@lossless/client";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { listOf, listText, type Parameters } from "../chart/view.ts";
import type { PageProps } from "../page.ts";
import { persistently } from "../parts/persistently.ts";
import type { Service } from "../signed-in.ts";
import { layoutOf, layoutText } from "./layout.ts";

/** How the charts of a page are arranged. */
export interface ChartsWorkspace {
  /** The folder of the experiments; null: the root, or several folders. */
  folderId: string | null;
  /** The workspaces that apply, the narrowest first; undefined until they are read. */
  applying: readonly Workspace[] | undefined;
  /** The one that is shown, changed or not; undefined: none. */
  shown: Workspace | undefined;
  layout: Layout;
  /** Whether charts stand otherwise than pages place them, or there is a saved workspace. */
  isNeeded: boolean;
  /** Whether the layout is not the saved one. */
  isChanged: boolean;
  /** Whether the address lacks the layout, as it is too long. */
  isTooLong: boolean;
  /** Shows another layout, which is a step of the history. */
  edit: (layout: Layout) => void;
  /** Takes the last edit back; undefined: there is none. */
  undo: (() => void) | undefined;
  /** Shows a saved one as it is saved: the narrowest, the one with this id, or `none`. */
  show: (id?: string) => void;
  /** Shows one that was saved just now. */
  keep: (saved: Workspace) => void;
  /** Reads the saved ones again; what is not saved stays. */
  readAgain: () => void;
}

/** Characters of a layout in an address. */
const addressedMax = 6_000;

interface ReadWorkspaces {
  of: string | null;
  applying: readonly Workspace[];
}

/**
 * The layout of the address, else of a saved workspace. `folderId` is the folder of the
 * experiments, null for the root; undefined: it is not known, or no charts are shown.
 */
export function useWorkspace(
  { service, location }: PageProps,
  folderId: string | null | undefined,
): ChartsWorkspace {
  const [long, setLong] = useState<Layout>();
  const past = useRef<Layout[]>([]);
  const { applying, setApplying, readAgain } = useApplying(service, folderId);
  const chosen = location.parameter("workspace");
  const shown =
    chosen === "none" ? undefined : (applying?.find(({ id }) => id === chosen) ?? applying?.[0]);
  const saved = layoutText(shown?.layout ?? {});
  const [given, pins] = [location.parameter("layout"), location.parameter("pin")];
  const layout = useMemo(() => {
    const stored = shown?.layout ?? {};
    if (long !== undefined) return long;
    const addressed = given === undefined ? undefined : layoutOf(given);
    return addressed ?? (pins === undefined ? stored : { ...stored, pinned: listOf(pins) });
  }, [saved, given, pins, long]);
  const text = layoutText(layout);
  const isLinked = text !== "{}" && long === undefined;
  useEffect(
    () => location.include(isLinked ? { layout: text, pin: "" } : {}),
    [location, text, isLinked],
  );
  const put = (next: Layout) => {
    const parameters = draftOf(next, saved);
    const isLong = encodeURIComponent(parameters.layout ?? "").length > addressedMax;
    setLong(isLong ? next : undefined);
    location.change(isLong ? plain : parameters, true);
  };
  const show = (id?: string) => {
    setLong(undefined);
    location.change({ ...plain, workspace: id }, true);
  };
  return {
    folderId: folderId ?? null,
    applying,
    shown,
    layout,
    show,
    isNeeded: text !== "{}" || (applying ?? []).length > 0,
    isChanged: text !== saved,
    isTooLong: long !== undefined,
    edit: (next) => {
      past.current.push(layout);
      put(next);
    },
    undo: past.current.length === 0 ? undefined : () => put(past.current.pop()!),
    keep: (kept) => {
      const next = inOrder([...(applying ?? []).filter(({ id }) => id !== kept.id), kept]);
      setApplying(next);
      setLong(undefined);
      location.change({ ...plain, workspace: next[0].id === kept.id ? "" : kept.id });
    },
    readAgain,
  };
}

/** Reads the workspaces that apply in a folder. */
function useApplying(service: Service, folderId: string | null | undefined) {
  const [read, setRead] = useState<ReadWorkspaces>();
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (folderId === undefined) return;
    // A link shows a guest what it names, as pages arrange it.
    if (service.visit !== undefined) return setRead({ of: folderId, applying: [] });
    const stopped = new AbortController();
    // Charts do not wait for a service that fails.
    const without = () =>
      setRead((before) => (before?.of === folderId ? before : { of: folderId, applying: [] }));
    void persistently(
      (signal) => service.client.workspaces.of(folderId, signal),
      stopped.signal,
      without,
    ).then((applying) => applying && setRead({ of: folderId, applying }));
    return () => stopped.abort();
  }, [service, folderId, round]);
  return {
    applying: read !== undefined && read.of === folderId ? read.applying : undefined,
    setApplying: (applying: readonly Workspace[]) => setRead({ of: folderId ?? null, applying }),
    readAgain: () => setRound((count) => count + 1),
  };
}

/** Parameters of an address without a layout. */
const plain = { layout: "", pin: "" };

/** The parameters of an address for a layout that is not saved: pins alone are a list of names. */
function draftOf(layout: Layout, saved: string): Parameters {
  const text = layoutText(layout);
  const { pinned = [] } = layout;
  if (text === saved) return plain;
  const isOfPins = saved === "{}" && text === layoutText({ pinned });
  return isOfPins ? { layout: "", pin: listText(pinned) } : { layout: text, pin: "" };
}

/** The narrowest first, as the service sorts them. */
function inOrder(workspaces: readonly Workspace[]): Workspace[] {
  const rank = ({ scope, folderId }: Workspace) =>
    (scope === "own" ? 0 : 2) + (folderId === null ? 1 : 0);
  return workspaces.toSorted((one, other) => rank(one) - rank(other));
}
