import type { SavedView } from "@lossless/client";
import { useState } from "preact/hooks";
import { AskOnce } from "../parts/ask-once.tsx";
import { Menu } from "../parts/menu.tsx";
import { mayWrite } from "../rights.ts";
import type { Service } from "../signed-in.ts";
import { SaveDialog } from "./save-dialog.tsx";

interface Props {
  service: Service;
  view: SavedView;
  /** The address of what the page shows now. */
  shown: string;
  isChanged: boolean;
  onBack: () => void;
  /** Runs a change, shows its error, and reads the views again. */
  change: (work: () => Promise<unknown>) => Promise<void>;
  readAgain: () => void;
}

/** Actions on the current view. */
export function SavedViewMenu({ service, view, shown, isChanged, onBack, ...rest }: Props) {
  const { change, readAgain } = rest;
  const { savedViews } = service.client;
  const [opened, setOpened] = useState<"rename" | "delete">();
  const close = () => setOpened(undefined);
  const replace = () => void change(() => savedViews.change(view, { address: shown }));
  return (
    <>
      <Menu sign="⋯" label={`Menu of the view ${view.name}`}>
        {isChanged && (
          <>
            <button type="button" onClick={replace}>
              save what is shown
            </button>
            <button type="button" onClick={onBack}>
              restore the saved view
            </button>
          </>
        )}
        <button type="button" onClick={() => setOpened("rename")}>
          rename or share…
        </button>
        <button type="button" onClick={() => setOpened("delete")}>
          delete…
        </button>
      </Menu>
      {opened === "rename" && (
        <SaveDialog
          title={`Rename or share ${view.name}`}
          action="Save"
          given={view}
          isScopeFixed={!mayWrite(service) || isOthers(view, service.session.person.email)}
          onSave={async (given) => void (await savedViews.change(view, given).finally(readAgain))}
          onClose={close}
        />
      )}
      {opened === "delete" && (
        <AskOnce
          title={`Delete the view ${view.name}?`}
          verb="Delete"
          onConfirm={() => savedViews.delete(view).finally(readAgain)}
          onClose={close}
        >
          <p>
            {view.scope === "shared" ? "Everyone in the organization loses it. " : ""}
            The experiments it shows stay, and links to it keep working.
          </p>
        </AskOnce>
      )}
    </>
  );
}

/** Whether another person shared the view: only they can unshare it. */
function isOthers({ scope, createdBy }: SavedView, email: string): boolean {
  return scope === "shared" && createdBy !== email;
}
