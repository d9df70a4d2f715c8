import type { SavedView } from "@lossless/client";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { PageProps } from "../page.ts";
import { CopyLink } from "../parts/copy.tsx";
import { Menu } from "../parts/menu.tsx";
import { messageOf, timeText } from "../parts/words.ts";
import { mayWrite } from "../rights.ts";
import { SaveDialog, type NameAndScope } from "./save-dialog.tsx";
import { isSameAddress, openedAddress, pathOf, savedAddress } from "./saved-address.ts";
import { SavedViewMenu } from "./saved-view-menu.tsx";
import { useSavedViews } from "./use-saved.ts";

interface Props extends PageProps {
  /** Values that the page shows although its address lacks them. */
  implied?: Readonly<Record<string, string>>;
  /** Stands before what is done with the shown view. */
  children?: ComponentChildren;
}

/** Buttons of views shown at most, to leave room for other controls. */
const buttonsMax = 6;

/** The saved views of this page: to open one, to save what is shown, to change one. */
export function SavedViews({ service, location, implied, children }: Props) {
  const { views, readAgain } = useSavedViews(service);
  const [isSaving, setIsSaving] = useState(false);
  const [problem, setProblem] = useState<string>();
  const shown = savedAddress(location.address, implied);
  const here = views.filter(({ address }) => pathOf(address) === location.path);
  const chosen = here.find(({ id }) => id === location.parameter("view"));
  const isChanged = chosen !== undefined && !isSameAddress(chosen.address, shown);
  const { row, rest } = placed(here, chosen);
  const go = (view: SavedView) => {
    setProblem(undefined);
    location.open(view === chosen && !isChanged ? location.path : openedAddress(view));
  };
  const change = async (work: () => Promise<unknown>) => {
    setProblem(undefined);
    await work().catch((error: unknown) => setProblem(messageOf(error)));
    readAgain();
  };
  const save = async (given: NameAndScope) => {
    location.replace(
      openedAddress(await service.client.savedViews.create({ ...given, address: shown })),
    );
    readAgain();
  };
  if (service.visit !== undefined) return null;
  return (
    <>
      {row.map((view) => (
        <button
          key={view.id}
          type="button"
          aria-pressed={view === chosen}
          title={factsOf(view)}
          onClick={() => go(view)}
        >
          {view.name}
          {view === chosen && isChanged && " · changed"}
        </button>
      ))}
      <Rest {...{ rest, go }} />
      {chosen !== undefined && (chosen.scope === "own" || mayWrite(service)) && (
        <SavedViewMenu
          view={chosen}
          onBack={() => go(chosen)}
          {...{ service, shown, isChanged, change, readAgain }}
        />
      )}
      {children}
      <span class="choices rare">
        <button type="button" class="quiet" onClick={() => setIsSaving(true)}>
          save view…
        </button>
        <CopyLink location={location} />
      </span>
      {problem !== undefined && <span role="alert">{problem}</span>}
      {isSaving && (
        <SaveDialog
          title="Save this view"
          action="Save"
          {...{ onSave: save, isScopeFixed: !mayWrite(service), onClose: () => setIsSaving(false) }}
        />
      )}
    </>
  );
}

/** The views without a button of their own. */
function Rest({ rest, go }: { rest: readonly SavedView[]; go: (view: SavedView) => void }) {
  if (rest.length === 0) return null;
  return (
    <Menu sign={`${rest.length} more ▾`} label={`${rest.length} more saved views`}>
      {rest.map((view) => (
        <button key={view.id} type="button" title={factsOf(view)} onClick={() => go(view)}>
          {view.name}
        </button>
      ))}
    </Menu>
  );
}

/** Splits the views into the row and the rest; the chosen one is always in the row. */
function placed(views: readonly SavedView[], chosen: SavedView | undefined) {
  const first = views.slice(0, buttonsMax);
  const row = chosen === undefined || first.includes(chosen) ? first : [...first, chosen];
  return { row, rest: views.filter((view) => !row.includes(view)) };
}

function factsOf({ scope, changedBy, changedAtMs }: SavedView): string {
  const whose = scope === "own" ? "yours" : "shared";
  return `${whose}, changed by ${changedBy} on ${timeText(changedAtMs)}`;
}
