import type { VersionAlias } from "@lossless/client";
import { useState } from "preact/hooks";
import { AliasDialog } from "../../aliases/alias-dialog.tsx";
import { timeText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";

/** The aliases that point to one version. */
export function AliasChips({
  aliases,
  version,
}: {
  aliases: readonly VersionAlias[];
  version: string;
}) {
  const own = aliases.filter((one) => one.version === version);
  if (own.length === 0) return null;
  return (
    <span class="aliases">
      {own.map(({ alias, changedAtMs, changedBy }) => (
        <span key={alias} class="alias" title={`since ${timeText(changedAtMs)}, by ${changedBy}`}>
          @{alias}
        </span>
      ))}
    </span>
  );
}

const states = { present: "", trashed: "is in the trash", deleted: "was deleted" };

/** Aliases whose versions are not there any more: reading by them fails. */
export function LostAliases({ aliases }: { aliases: readonly VersionAlias[] }) {
  const lost = aliases.filter(({ state }) => state !== "present");
  if (lost.length === 0) return null;
  return (
    <p class="lost-aliases">
      {lost.map(({ alias, version, state }) => (
        <span key={alias}>
          <span class="alias">@{alias}</span> points to {version}, which {states[state]}.{" "}
        </span>
      ))}
    </p>
  );
}

/** The version that a page's address means: its name, `latest`, or `@` and an alias. */
export function versionMeant(
  wanted: string | undefined,
  { latest, aliases }: { latest: string | null; aliases: readonly VersionAlias[] },
): string | null {
  if (wanted === undefined || wanted === "latest") return latest;
  const aliased = aliases.find(({ alias }) => wanted === `@${alias}`);
  return aliased?.version ?? wanted;
}

/** Sets, moves and removes aliases of a version; the page shows the change at its next look. */
export function MoveAlias({
  service,
  artifact,
  version,
  aliases,
}: {
  service: Service;
  artifact: string;
  version: string;
  aliases: readonly VersionAlias[];
}) {
  const [isOpen, setIsOpen] = useState(false);
  const { artifacts } = service.client;
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        alias…
      </button>
      {isOpen && (
        <AliasDialog
          version={version}
          aliases={aliases}
          onMove={(alias, expected) => artifacts.setAlias(artifact, alias, version, { expected })}
          onRemove={(alias, expected) => artifacts.removeAlias(artifact, alias, { expected })}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  );
}
