import type { Location, UpdateLocationBody } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
import { useState } from "preact/hooks";
import { AskOnce } from "../../parts/ask-once.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useAct } from "../../parts/use-act.ts";
import { withoutReload } from "../../parts/without-reload.ts";
import type { Service } from "../../signed-in.ts";

interface Props {
  service: Service;
  location: Location;
  again: () => Promise<void>;
}

/** An admin's actions on a location. */
export function LocationActions({ service, location, again }: Props) {
  const { id, name, cloud, state, fallback, default: isDefault } = location;
  const [isRetiring, setIsRetiring] = useState(false);
  const [isRenaming, setIsRenaming] = useState(false);
  const { isBusy, problem, act } = useAct();
  const update = async (change: UpdateLocationBody) => {
    await service.client.organization.updateLocation(id, change);
    await again();
  };
  if (isRenaming)
    return (
      <RenameForm
        name={name}
        onRename={(next) => update({ name: next })}
        onClose={() => setIsRenaming(false)}
      />
    );
  return (
    <span class="inline">
      {state === "active" && !fallback && (
        <button
          type="button"
          aria-label={`Make fallback: ${name}`}
          disabled={isBusy}
          onClick={() => void act(() => update({ fallback: true }))}
        >
          Make fallback
        </button>
      )}
      {state === "active" && !isDefault && (
        <button
          type="button"
          aria-label={`Make default of ${cloud}: ${name}`}
          disabled={isBusy}
          onClick={() => void act(() => update({ default: true }))}
        >
          Make default
        </button>
      )}
      <button type="button" aria-label={`Rename ${name}`} onClick={() => setIsRenaming(true)}>
        Rename
      </button>
      {state === "active" &&
        (fallback ? (
          <span class="soft">To retire it, first make another location the fallback.</span>
        ) : (
          <button type="button" aria-label={`Retire ${name}`} onClick={() => setIsRetiring(true)}>
            Retire
          </button>
        ))}
      <Problem text={problem} />
      {isRetiring && (
        <RetireQuestion
          name={name}
          onRetire={() => update({ state: "retired" })}
          onClose={() => setIsRetiring(false)}
        />
      )}
    </span>
  );
}

interface RenameProps {
  name: string;
  onRename: (next: string) => Promise<void>;
  onClose: () => void;
}

function RenameForm({ name, onRename, onClose }: RenameProps) {
  const [next, setNext] = useState(name);
  const { isBusy, problem, act } = useAct();
  const rename = async () => {
    if (await act(() => onRename(next))) onClose();
  };
  return (
    <form class="inline" onSubmit={withoutReload(rename)}>
      <input
        aria-label={`New name of ${name}`}
        value={next}
        required
        maxLength={limits.labelCharactersMax}
        ref={focused}
        onInput={(event) => setNext(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && onClose()}
      />
      <button class="strong" disabled={isBusy}>
        Rename
      </button>
      <Problem text={problem} />
    </form>
  );
}

interface RetireProps {
  name: string;
  onRetire: () => Promise<void>;
  onClose: () => void;
}

function RetireQuestion({ name, onRetire, onClose }: RetireProps) {
  return (
    <AskOnce title={`Retire “${name}”?`} verb="Retire" onConfirm={onRetire} onClose={onClose}>
      <p>
        The location takes no new versions from now on. Uploads that have already started can still
        finish. Stored versions stay and can be read as before. A retired location cannot become
        active again, and its bucket and path cannot be added a second time.
      </p>
    </AskOnce>
  );
}

/** Focuses the field that replaces the pressed button. */
function focused(input: HTMLInputElement | null): void {
  if (document.activeElement === document.body) input?.focus();
}
