import type { TrashEntry } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
import { useState } from "preact/hooks";
import type { PathProps } from "../../page.ts";
import { AskOnce } from "../../parts/ask-once.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useAct } from "../../parts/use-act.ts";
import { useAnswer } from "../../parts/use-answer.ts";
import { countedText, countText } from "../../parts/words.ts";
import { withoutReload } from "../../parts/without-reload.ts";
import { isAtLeast, mayWrite } from "../../rights.ts";
import type { Service } from "../../signed-in.ts";
import { DeleteOrganization } from "./delete-organization.tsx";
import { OrganizationPage } from "./organization-page.tsx";
import { nameOf, TrashEntries } from "./trash-entries.tsx";

/** `/organization/trash` */
export function TrashPage({ service, location }: PathProps) {
  const { trash } = service.client;
  const isAdmin = isAtLeast(service.session.role, "admin");
  const before = location.parameter("before");
  const { found, problem, again } = useAnswer(
    async () => ({ page: await trash.page(before), settings: await trash.settings() }),
    [trash, before],
  );
  const [purging, setPurging] = useState<readonly TrashEntry[]>();
  const [ticked, setTicked] = useState<ReadonlySet<string>>(() => new Set());
  const [said, setSaid] = useState("");
  const restoring = useAct();
  const tick = (ids: readonly string[], isTicked: boolean) =>
    setTicked((before) => withTicked(before, ids, isTicked));
  const changed = async (entries: readonly TrashEntry[], what: string) => {
    tick(
      entries.map(({ id }) => id),
      false,
    );
    setSaid(`${wordsOf(entries)} ${what}.`);
    await again();
  };
  const restore = (entries: readonly TrashEntry[]) =>
    restoring.act(async () => {
      await trash.restore(entries.map(({ id }) => id));
      await changed(entries, entries.length === 1 ? "was restored" : "were restored");
    });
  return (
    <OrganizationPage name="Trash" service={service}>
      <p class="soft">
        You can restore a deleted item until its removal. After that it is gone, and its space is
        free. {!isAdmin && "Admins and owners can purge it earlier. "}{" "}
        <a href="/organization/rules">Rules</a> move items to the trash automatically.
      </p>
      <Problem text={problem ?? restoring.problem} />
      {found === undefined ? (
        <p class="waiting">Loading …</p>
      ) : (
        <>
          <KeptDays
            key={found.settings.days}
            {...{ service, days: found.settings.days, isAdmin, again }}
          />
          <p role="status">{said}</p>
          <TrashEntries
            entries={found.page.entries}
            {...{ ticked, isBusy: restoring.isBusy }}
            onTick={tick}
            onRestore={mayWrite(service) ? (entries) => void restore(entries) : undefined}
            onPurge={isAdmin ? setPurging : undefined}
          />
          <OlderLink next={found.page.next} />
        </>
      )}
      {service.session.role === "owner" && <DeleteOrganization service={service} />}
      {purging !== undefined && (
        <PurgeQuestion
          entries={purging}
          onConfirm={async () => {
            await trash.purge(purging.map(({ id }) => id));
            await changed(purging, purging.length === 1 ? "was purged" : "were purged");
          }}
          onClose={() => setPurging(undefined)}
        />
      )}
    </OrganizationPage>
  );
}

function withTicked(before: ReadonlySet<string>, ids: readonly string[], isTicked: boolean) {
  const others = [...before].filter((id) => !ids.includes(id));
  return new Set(isTicked ? [...others, ...ids] : others);
}

function wordsOf(entries: readonly TrashEntry[]): string {
  return entries.length === 1 ? nameOf(entries[0]) : countedText(entries.length, "item");
}

function OlderLink({ next }: { next: string | null }) {
  if (next === null) return null;
  return (
    <p>
      <a href={`/organization/trash?before=${encodeURIComponent(next)}`}>
        Show items deleted earlier
      </a>
    </p>
  );
}

interface QuestionProps {
  entries: readonly TrashEntry[];
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks whether to purge entries, and says what is lost. */
function PurgeQuestion({ entries, ...asked }: QuestionProps) {
  const points = entries.reduce((sum, entry) => sum + entry.points, 0);
  const count = (wanted: TrashEntry["kind"]) =>
    entries.filter(({ kind }) => kind === wanted).length;
  const [experiments, series, versions] = [count("experiment"), count("series"), count("version")];
  const parts = [
    ...(experiments > 0 ? [`everything else of ${countedText(experiments, "experiment")}`] : []),
    ...(series > 0 ? [`${countText(series)} series`] : []),
  ];
  return (
    <AskOnce title={`Purge ${wordsOf(entries)}?`} verb="Purge" {...asked}>
      <p>
        {parts.length > 0 &&
          `${[countedText(points, "point"), ...parts].join(" and ")} are removed now. `}
        {versions > 0 &&
          `The files of ${countedText(versions, "version")} are removed one hour after the deletion. `}
        This cannot be undone.
      </p>
    </AskOnce>
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
  if (!isAdmin) return <p>Items deleted from now on are kept for {countedText(days, "day")}.</p>;
  const set = () =>
    act(async () => {
      await service.client.trash.set({ days: Number(text) });
      await again();
    });
  return (
    <form class="row" onSubmit={withoutReload(set)}>
      <label>
        Days to keep items deleted from now on
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
