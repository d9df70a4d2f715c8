import type { TrashEntry } from "@lossless/client";
import { Age } from "../../parts/age.tsx";
import { Listing } from "../../parts/listing.tsx";
import { bytesText, countText } from "../../parts/words.ts";

interface Props {
  entries: readonly TrashEntry[];
  ticked: ReadonlySet<string>;
  isBusy: boolean;
  onTick: (ids: readonly string[], isTicked: boolean) => void;
  /** Undefined: the role only reads. */
  onRestore: ((entries: readonly TrashEntry[]) => void) | undefined;
  /** Undefined: the role may not purge. */
  onPurge: ((entries: readonly TrashEntry[]) => void) | undefined;
}

/** The entries of the trash, and actions on the ticked ones. */
export function TrashEntries(props: Props) {
  const { entries, ticked, onTick, onRestore } = props;
  const left = entries.filter(({ isPurging }) => !isPurging);
  const chosen = left.filter(({ id }) => ticked.has(id));
  return (
    <>
      {left.length > 1 && onRestore !== undefined && (
        <p class="actions">
          <button type="button" onClick={() => onTick(idsOf(left), chosen.length < left.length)}>
            {chosen.length < left.length ? "Tick all" : "Untick all"}
          </button>
          {chosen.length > 0 && <TickedActions {...props} chosen={chosen} />}
        </p>
      )}
      <Listing
        label="Trash"
        columns={[
          "tick",
          "name",
          "folder",
          "points",
          "size",
          "deleted",
          "deleted by",
          "removal",
          "",
        ]}
        rows={entries.map((entry) => ({ key: entry.id, cells: cellsOf(entry, props) }))}
        empty="The trash is empty."
      />
    </>
  );
}

/** The name of an entry: a version with its artifact, a series with its experiment. */
export function nameOf({ name, experimentName, version, series }: TrashEntry): string {
  if (version !== null) return `${name} ${version}`;
  const shown = experimentName ?? name;
  return series === null ? shown : `${series} of ${shown}`;
}

function idsOf(entries: readonly TrashEntry[]): string[] {
  return entries.map(({ id }) => id);
}

function TickedActions({
  chosen,
  isBusy,
  onRestore,
  onPurge,
}: Props & { chosen: readonly TrashEntry[] }) {
  const count = countText(chosen.length);
  return (
    <>
      {onRestore !== undefined && (
        <button type="button" disabled={isBusy} onClick={() => onRestore(chosen)}>
          Restore the {count} ticked
        </button>
      )}
      {onPurge !== undefined && (
        <button type="button" onClick={() => onPurge(chosen)}>
          Purge the {count} ticked
        </button>
      )}
    </>
  );
}

function cellsOf(entry: TrashEntry, { ticked, isBusy, onTick, onRestore, onPurge }: Props) {
  const { id, folder, version, points, bytes, isPurging, trashedAtMs, trashedBy } = entry;
  const name = nameOf(entry);
  return [
    !isPurging && onRestore !== undefined && (
      <label class="tick">
        <input
          type="checkbox"
          checked={ticked.has(id)}
          onChange={(event) => onTick([id], event.currentTarget.checked)}
        />
        <span class="unseen">Tick {name}</span>
      </label>
    ),
    <span class="name">
      <bdi>{name}</bdi>
      {entry.experimentName !== null && (
        <>
          {" "}
          <bdi class="soft">{entry.name}</bdi>
        </>
      )}
    </span>,
    folder.length > 0 && <bdi>{folder.join(" / ")}</bdi>,
    version === null && countText(points),
    <span class="size">{bytesText(bytes)}</span>,
    <Age at={new Date(trashedAtMs).toISOString()} />,
    <bdi>{trashedBy}</bdi>,
    isPurging ? "being removed" : <Age at={new Date(entry.purgeAtMs).toISOString()} />,
    !isPurging && onRestore !== undefined && (
      <span class="actions">
        <button
          type="button"
          aria-label={`Restore ${name}`}
          disabled={isBusy}
          onClick={() => onRestore([entry])}
        >
          Restore
        </button>
        {onPurge !== undefined && (
          <button type="button" aria-label={`Purge ${name}`} onClick={() => onPurge([entry])}>
            Purge
          </button>
        )}
      </span>
    ),
  ];
}
