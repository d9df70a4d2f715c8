import { useState } from "preact/hooks";
import { Dialog } from "../../parts/dialog.tsx";
import { SaveForm } from "../../parts/save-form.tsx";
import { MetricsField } from "./metrics-field.tsx";

interface Props {
  names: readonly string[];
  /** Absent: a new section. */
  given?: { name: string; patterns: readonly string[] };
  onMade: (section: { name: string; patterns: string[] }) => void;
  onClose: () => void;
}

/** The name of a section, and the metrics that stand in it, later ones too. */
export function NewSection({ names, given, onMade, onClose }: Props) {
  const [name, setName] = useState(given?.name ?? "");
  const [patterns, setPatterns] = useState<string[]>([...(given?.patterns ?? [])]);
  return (
    <Dialog title={given === undefined ? "New section" : `Section ${given.name}`} onClose={onClose}>
      <SaveForm
        action={given === undefined ? "Add" : "Apply"}
        save={async () => onMade({ name: name.trim(), patterns })}
      >
        <label>
          Name{" "}
          <input
            value={name}
            required
            maxLength={128}
            pattern=".*\S.*"
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <MetricsField
          legend="Metrics in it"
          names={names}
          chosen={patterns}
          onChange={setPatterns}
        />
      </SaveForm>
    </Dialog>
  );
}
