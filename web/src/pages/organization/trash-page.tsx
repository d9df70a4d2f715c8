import type { TrashEntry } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
import { useState } from "preact/hooks";
import type { PathProps } from "../../page.ts";
import { Age } from "../../parts/age.tsx";
import { AskOnce } from "../../parts/ask-once.tsx";
import { bytesText } from "../../parts/bytes.ts";
import { Listing } from "../../parts/listing.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useAct } from "../../parts/use-act.ts";
import { useAnswer } from "../../parts/use-answer.ts";
import { countText } from "../../parts/words.ts";
import { isAtLeast } from "../../rights.ts";
import type { Service } from "../../signed-in.ts";
import { DeleteOrganization } from "./delete-organization.tsx";
import { OrganizationPage } from "./organization-page.tsx";

/** `/organization/trash` */
export function TrashPage({ service, location }: PathProps) {
  const { trash } = service.client;
  const isAdmin = isAtLeast(service.session.role, "admin");
  const before = location.parameter("before");
  const { found, problem, again } = useAnswer(
    async () => ({ page: await trash.page(before), settings: await trash.settings() }),
    [trash, before],
  );
  const [purging, setPurging] = useState<TrashEntry>();
  const restoring = useAct();
  const restore = ({ id }: TrashEntry) =>
    restoring.act(async () => {
      await trash.restore([id]);
      await again();
    });
  return (
    <OrganizationPage name="Trash" service={service}>
      <p class="soft">
        What is deleted can be restored until its day, then it is gone and its space is free.{" "}
        {!isAdmin && "Admins and owners remove it at once."}
      </p>
      <Problem text={problem ?? restoring.problem} />
      {found === undefined ? (
        <p class="waiting">Reading …</p>
      ) : (
        <>
          <KeptDays
            key={found.settings.days}
            {...{ service, days: found.settings.days, isAdmin, again }}
          />
          <EntryList
            entries={found.page.entries}
            isBusy={restoring.isBusy}
            onRestore={(entry) => void restore(entry)}
            onPurge={isAdmin ? setPurging : undefined}
          />
          {found.page.next !== null && (
            <p>
              <a href={`/organization/trash?before=${encodeURIComponent(found.page.next)}`}>
                what was deleted before
              </a>
            </p>
          )}
        </>
      )}
      {service.session.role === "owner" && <DeleteOrganization service={service} />}
      {purging !== undefined && (
        <AskOnce
          title={`Remove ${nameOf(purging)} for good?`}
          verb="Purge"
          onConfirm={async () => {
            await trash.purge([purging.id]);
            await again();
          }}
          onClose={() => setPurging(undefined)}
        >
          <p>
            {purging.version === null
              ? `${countText(purging.points)} points and everything else of it are removed now.`
              : "Its files are removed an hour after it was deleted."}{" "}
            Nothing brings it back.
          </p>
        </AskOnce>
      )}
    </OrganizationPage>
  );
}

/** A version has its artifact's name, too, a series its experiment's slug. */
function nameOf({ name, version, series }: TrashEntry): string {
  if (series !== null) return `${series} of ${name}`;
  return version === null ? name : `${name} ${version}`;
}

interface ListProps {
  entries: readonly TrashEntry[];
  isBusy: boolean;
  onRestore: (entry: TrashEntry) => void;
  /** Undefined: the role purges none. */
  onPurge: ((entry: TrashEntry) => void) | undefined;
}

function EntryList({ entries, isBusy, onRestore, onPurge }: ListProps) {
  return (
    <Listing
      label="Trash"
      columns={["name", "folder", "points", "size", "deleted", "by", "gone", ""]}
      rows={entries.map((entry) => ({
        key: entry.id,
        cells: [
          <span class="name">
            <bdi>{nameOf(entry)}</bdi>
          </span>,
          entry.folder.length > 0 && <bdi>{entry.folder.join(" / ")}</bdi>,
          entry.version === null && countText(entry.points),
          bytesText(entry.bytes),
          <Age at={new Date(entry.trashedAtMs).toISOString()} />,
          <bdi>{entry.trashedBy}</bdi>,
          entry.isPurging ? "being removed" : <Age at={new Date(entry.purgeAtMs).toISOString()} />,
          !entry.isPurging && (
            <span class="actions">
              <button
                type="button"
                aria-label={`Restore ${nameOf(entry)}`}
                disabled={isBusy}
                onClick={() => onRestore(entry)}
              >
                Restore
              </button>
              {onPurge !== undefined && (
                <button
                  type="button"
                  aria-label={`Purge ${nameOf(entry)}`}
                  onClick={() => onPurge(entry)}
                >
                  Purge
                </button>
              )}
            </span>
          ),
        ],
      }))}
      empty="Nothing is in the trash."
    />
  );
}

interface DaysProps {
  service: Service;
  days: number;
  isAdmin: boolean;
  again: () => Promise<unknown>;
}

function KeptDays({ service, days, isAdmin, again }: DaysProps) {
  const [text, setText] = useState(String(days));
  const { isBusy, problem, act } = useAct();
  if (!isAdmin) return <p>What is deleted now is kept for {countText(days)} days.</p>;
  const set = () =>
    act(async () => {
      await service.client.trash.set({ days: Number(text) });
      await again();
    });
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        void set();
      }}
    >
      <label>
        Days for which what is deleted from now on is kept
        <input
          type="number"
          min={1}
          max={limits.trashDaysMax}
          required
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button disabled={isBusy || text === String(days)}>Set</button>
      <Problem text={problem} />
    </form>
  );
}
