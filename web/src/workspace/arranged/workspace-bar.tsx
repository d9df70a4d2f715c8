import { SavedConflictError, type Workspace } from "@lossless/client";
import { useState } from "preact/hooks";
import { AskOnce } from "../../parts/ask-once.tsx";
import { Menu } from "../../parts/menu.tsx";
import { useAct } from "../../parts/use-act.ts";
import { mayWrite } from "../../rights.ts";
import type { Service } from "../../signed-in.ts";
import { tidied } from "../layout.ts";
import type { ChartsWorkspace } from "../use-workspace.ts";
import { Versions } from "./versions.tsx";

interface Props {
  service: Service;
  workspace: ChartsWorkspace;
}

/** Says which arrangement is shown, and saves it. */
export function WorkspaceBar({ service, workspace }: Props) {
  const { applying = [], shown, isChanged, isTooLong, undo, show, readAgain } = workspace;
  const [opened, setOpened] = useState<"versions" | "delete">();
  const { isBusy, problem, act } = useAct();
  const close = () => setOpened(undefined);
  const save = (scope: Workspace["scope"], place: string | null) =>
    void act(() => saved(service, workspace, scope, place));
  return (
    <div class="workspace-bar" role="group" aria-label="Arrangement of the charts">
      <ShownMenu workspace={workspace} onOpen={setOpened} />
      {isChanged && (
        <>
          <span class="changed">
            changed, not saved{isTooLong && "; too long for a link until it is saved"}
          </span>
          {service.visit === undefined && (
            <SaveMenu {...{ service, isBusy }} folderId={workspace.folderId} onSave={save} />
          )}
          <button
            type="button"
            onClick={() => show(shown === applying[0] ? undefined : (shown?.id ?? "none"))}
          >
            as before
          </button>
        </>
      )}
      {undo !== undefined && (
        <button type="button" onClick={undo}>
          undo
        </button>
      )}
      {problem !== undefined && <span role="alert">{problem}</span>}
      {opened === "versions" && <Versions {...{ service, workspace }} onClose={close} />}
      {opened === "delete" && shown !== undefined && (
        <AskOnce
          title={`Delete the arrangement ${whoseText(shown)}?`}
          verb="Delete"
          onConfirm={async () => {
            await service.client.workspaces.delete(shown);
            show();
            readAgain();
          }}
          onClose={close}
        >
          <p>The charts stay. Its earlier versions are deleted with it.</p>
        </AskOnce>
      )}
    </div>
  );
}

async function saved(
  service: Service,
  { applying = [], layout, keep, readAgain }: ChartsWorkspace,
  scope: Workspace["scope"],
  place: string | null,
): Promise<void> {
  const present = applying.find((one) => one.scope === scope && one.folderId === place);
  const where = place === null ? {} : { folderId: place };
  const revision = present?.revision ?? 0;
  try {
    const body = { scope, ...where, revision, layout: tidied(layout) };
    keep(await service.client.workspaces.save(body));
  } catch (error) {
    // The next press replaces what is there now, as the sentence says who saved it.
    if (error instanceof SavedConflictError) readAgain();
    throw error;
  }
}

interface ShownProps {
  workspace: ChartsWorkspace;
  onOpen: (dialog: "versions" | "delete") => void;
}

/** Names what is shown, and shows another one. */
function ShownMenu({ workspace: { applying = [], shown, show }, onOpen }: ShownProps) {
  const name = shown === undefined ? whoseText(shown) : `arranged ${whoseText(shown)}`;
  return (
    <Menu sign={`${name} ▾`} label={name}>
      {applying.map((one, at) => (
        <button
          key={one.id}
          type="button"
          aria-pressed={one === shown}
          onClick={() => show(at === 0 ? undefined : one.id)}
        >
          {whoseText(one)}
        </button>
      ))}
      <button
        type="button"
        aria-pressed={shown === undefined}
        onClick={() => show(applying.length === 0 ? undefined : "none")}
      >
        {whoseText(undefined)}
      </button>
      {shown !== undefined && (
        <>
          <button type="button" onClick={() => onOpen("versions")}>
            earlier versions…
          </button>
          <button type="button" onClick={() => onOpen("delete")}>
            delete what is arranged {whoseText(shown)}…
          </button>
        </>
      )}
    </Menu>
  );
}

interface SaveProps {
  service: Service;
  /** The folder of the experiments. */
  folderId: string | null;
  isBusy: boolean;
  onSave: (scope: Workspace["scope"], place: string | null) => void;
}

function SaveMenu({ service, folderId, isBusy, onSave }: SaveProps) {
  const mayShare = mayWrite(service);
  const button = (text: string, scope: Workspace["scope"], place: string | null) => (
    <button type="button" disabled={isBusy} onClick={() => onSave(scope, place)}>
      {text}
    </button>
  );
  return (
    <Menu sign="save ▾" label="Save the arrangement">
      {button("for me", "own", null)}
      {folderId !== null && button("for me in this folder", "own", folderId)}
      {mayShare && folderId !== null && button("for everyone in this folder", "shared", folderId)}
      {mayShare && button("for everyone", "shared", null)}
    </Menu>
  );
}

function whoseText(workspace: Workspace | undefined): string {
  if (workspace === undefined) return "usual order";
  const { scope, folderId } = workspace;
  const who = scope === "own" ? "for me" : "for everyone";
  return folderId === null ? who : `${who} in the folder`;
}
