import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog.tsx";
import { SaveForm } from "../parts/save-form.tsx";

export interface NameAndScope {
  name: string;
  scope: "own" | "shared";
}

interface Props {
  title: string;
  /** Label of the button. */
  action: string;
  given?: NameAndScope;
  /** A name for somebody who does not think of another one. */
  usual?: string;
  /** The owner cannot be changed. */
  isScopeFixed?: boolean;
  onSave: (given: NameAndScope) => Promise<void>;
  onClose: () => void;
}

/** Asks for the name of a saved item, and whether it is shared. */
export function SaveDialog(props: Props) {
  const { title, action, given, usual = "", isScopeFixed, onSave, onClose } = props;
  const [name, setName] = useState(given?.name ?? usual);
  const [scope, setScope] = useState(given?.scope ?? "own");
  const save = async () => {
    await onSave({ name: name.trim(), scope });
    onClose();
  };
  const choice = (value: typeof scope, text: string) => (
    <label>
      <input
        type="radio"
        name="scope"
        checked={scope === value}
        disabled={isScopeFixed}
        onChange={() => setScope(value)}
      />{" "}
      {text}
    </label>
  );
  return (
    <Dialog title={title} onClose={onClose}>
      <SaveForm action={action} save={save}>
        <label>
          Name{" "}
          <input
            value={name}
            required
            // A typed name replaces it.
            onFocus={(event) => given === undefined && event.currentTarget.select()}
            maxLength={128}
            pattern=".*\S.*"
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <fieldset>
          <legend>Who can see it</legend>
          {choice("own", "only me")}
          {choice("shared", "everyone in the organization, who can also change it")}
        </fieldset>
      </SaveForm>
    </Dialog>
  );
}
