import { EditConflictError, type EditReply } from "@lossless/client";
import { useState } from "preact/hooks";
import { Dialog } from "../../parts/dialog.tsx";
import { SaveForm } from "../../parts/save-form.tsx";
import type { Service } from "../../signed-in.ts";
import {
  asKind,
  draftOf,
  type MetaDraft,
  metaKinds,
  valueAtPath,
  valueOfDraft,
} from "./meta-draft.ts";
import { PresentValue, ReplacedLater } from "./replaced-later.tsx";

/** An existing value, or a new one in an object, whose name is not given yet. */
export interface MetaPlace {
  path: readonly string[];
  isNew: boolean;
}

interface Props {
  service: Service;
  experimentId: string;
  meta: unknown;
  place: MetaPlace;
  onEdited: (reply: EditReply) => void;
  onClose: () => void;
}

export function MetaDialog({ service, experimentId, meta, place, onEdited, onClose }: Props) {
  const { isNew } = place;
  const [name, setName] = useState("");
  const path = isNew ? [...place.path, name] : [...place.path];
  const [seen, setSeen] = useState({ value: valueAtPath(meta, path) });
  const [draft, setDraft] = useState<MetaDraft>(() =>
    isNew ? { kind: "text", text: "" } : draftOf(seen.value),
  );
  const [present, setPresent] = useState<string>();
  const edit = async (after: unknown) => {
    const values = {
      ...(seen.value !== undefined && { before: seen.value }),
      ...(after !== undefined && { after }),
    };
    try {
      const body = { experimentId, meta: [{ path, ...values }] };
      onEdited(await service.client.editExperiment(body));
    } catch (error) {
      const other = error instanceof EditConflictError ? error.present.meta?.[0] : undefined;
      // If nothing can be set there at all, the service says why.
      if (other === undefined || Object.is(other.value, seen.value)) throw error;
      setSeen({ value: other.value });
      setPresent(other.value === undefined ? "(removed)" : JSON.stringify(other.value));
    }
  };
  const [removal, setRemoval] = useState<string>();
  const remove = () =>
    edit(undefined).catch((error: unknown) => setRemoval((error as Error).message));
  const title = isNew ? "New meta key" : `meta.${path.join(".")}`;
  return (
    <Dialog title={title} onClose={onClose}>
      <SaveForm
        action="Save"
        save={async () => edit(valueOfDraft(draft))}
        more={
          !isNew && (
            <button type="button" onClick={() => void remove()}>
              Remove this key
            </button>
          )
        }
      >
        {isNew && (
          <label>
            {place.path.length === 0 ? "Name" : `Name in ${place.path.join(".")}`}
            <input
              value={name}
              required
              onInput={(event) => {
                setName(event.currentTarget.value);
                setSeen({ value: undefined });
              }}
            />
          </label>
        )}
        <ValueFields draft={draft} onChange={setDraft} />
        {present !== undefined && <PresentValue text={present} />}
        {removal !== undefined && <p role="alert">{removal}</p>}
        <ReplacedLater />
      </SaveForm>
    </Dialog>
  );
}

function ValueFields({
  draft,
  onChange,
}: {
  draft: MetaDraft;
  onChange: (draft: MetaDraft) => void;
}) {
  const { kind, text } = draft;
  return (
    <>
      <label>
        Kind
        <select
          class="short"
          value={kind}
          onChange={({ currentTarget: { value } }) =>
            onChange(
              asKind(
                draft,
                metaKinds.find((each) => each === value)!,
              ),
            )
          }
        >
          {metaKinds.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <label>
        Value
        {kind === "true or false" ? (
          <select
            class="short"
            value={text}
            onChange={(event) => onChange({ kind, text: event.currentTarget.value })}
          >
            <option>true</option>
            <option>false</option>
          </select>
        ) : kind === "number" ? (
          <input
            class="short"
            inputMode="decimal"
            value={text}
            onInput={(event) => onChange({ kind, text: event.currentTarget.value })}
          />
        ) : (
          <textarea
            value={text}
            onInput={(event) => onChange({ kind, text: event.currentTarget.value })}
          />
        )}
      </label>
    </>
  );
}
