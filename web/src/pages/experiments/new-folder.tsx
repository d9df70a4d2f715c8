import { useState } from "preact/hooks";
import { messageOf } from "../../parts/words.ts";
import { withoutReload } from "../../parts/without-reload.ts";
import type { Service } from "../../signed-in.ts";

interface Props {
  service: Service;
  /** The parent of the new folder; null: the root. */
  parentFolderId: string | null;
  onMade: () => void;
}

/** A form for a new folder in the chosen one. */
export function NewFolder({ service, parentFolderId, onMade }: Props) {
  const [name, setName] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const make = async () => {
    try {
      await service.client.folders.create(name!.trim(), parentFolderId);
      setName(undefined);
      setProblem(undefined);
      onMade();
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  if (name === undefined)
    return (
      <button type="button" class="quiet" onClick={() => setName("")}>
        + folder
      </button>
    );
  return (
    <form class="new-folder" onSubmit={withoutReload(make)}>
      <input
        aria-label="Name of the new folder"
        placeholder={parentFolderId === null ? "name" : "name of the subfolder"}
        value={name}
        required
        maxLength={200}
        ref={(input) => input?.focus()}
        onInput={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && setName(undefined)}
      />
      {problem !== undefined && <p role="alert">{problem}</p>}
    </form>
  );
}
