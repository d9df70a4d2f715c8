import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog.tsx";
import { SaveForm } from "../parts/save-form.tsx";
import { useAct } from "../parts/use-act.ts";

interface Props {
  /** The version whose aliases are changed, in words: "version 3". */
  version: string;
  /** Aliases of all versions, and the versions to which they point. */
  aliases: readonly { alias: string; version: string }[];
  /** Moves an alias from the version where the page shows it; null: it is new. */
  onMove: (alias: string, from: string | null) => Promise<unknown>;
  onRemove: (alias: string, from: string) => Promise<unknown>;
  onClose: () => void;
}

/** Sets, moves and removes aliases of one version; says what a move takes from which version. */
export function AliasDialog({ version, aliases, onMove, onRemove, onClose }: Props) {
  const [name, setName] = useState("");
  const { isBusy, problem, act } = useAct();
  const wanted = name.trim().replace(/^@/, "");
  const from = aliases.find(({ alias }) => alias === wanted)?.version ?? null;
  const own = aliases.filter((one) => one.version === version);
  const save = async () => {
    await onMove(wanted, from);
    onClose();
  };
  const remove = async (alias: string) => {
    if (await act(() => onRemove(alias, version))) onClose();
  };
  return (
    <Dialog title={`Aliases of version ${version}`} onClose={onClose}>
      <SaveForm action={from === null ? "Set" : "Move"} save={save}>
        <label>
          Alias
          <input
            required
            list="known-aliases"
            value={name}
            placeholder="production"
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <datalist id="known-aliases">
          {aliases.map(({ alias }) => (
            <option key={alias} value={alias} />
          ))}
        </datalist>
        <p aria-live="polite">
          {wanted === ""
            ? "Programs find this version by the alias, and its history says who moved it."
            : from === version
              ? `@${wanted} points to this version already.`
              : from === null
                ? `@${wanted} is new, and will point to version ${version}.`
                : `@${wanted} points to version ${from} now. Programs that use it will read version ${version} instead.`}
        </p>
      </SaveForm>
      {own.length > 0 && (
        <ul class="own-aliases">
          {own.map(({ alias }) => (
            <li key={alias}>
              <span class="alias">@{alias}</span>{" "}
              <button type="button" disabled={isBusy} onClick={() => void remove(alias)}>
                remove
              </button>
            </li>
          ))}
        </ul>
      )}
      {problem !== undefined && <p role="alert">{problem}</p>}
    </Dialog>
  );
}
