import type { GuestLink } from "@lossless/client";
import { useState } from "preact/hooks";
import type { PathProps } from "../../page.ts";
import { Age } from "../../parts/age.tsx";
import { AskOnce } from "../../parts/ask-once.tsx";
import { Listing } from "../../parts/listing.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useAct } from "../../parts/use-act.ts";
import { useAnswer } from "../../parts/use-answer.ts";
import { countedText } from "../../parts/words.ts";
import { isAtLeast } from "../../rights.ts";
import { homeOf } from "../../guests/visit.ts";
import { OrganizationPage } from "./organization-page.tsx";

/** `/organization/guests` */
export function GuestsPage({ service }: PathProps) {
  const { guests } = service.client;
  const { person, role } = service.session;
  const isAdmin = isAtLeast(role, "admin");
  const { found, problem, again } = useAnswer(() => guests.list(), [guests]);
  const [revoking, setRevoking] = useState<GuestLink>();
  const setting = useAct();
  const set = (membersShare: boolean) =>
    setting.act(async () => {
      await guests.set({ membersShare });
      await again();
    });
  const mayRevoke = ({ createdBy }: GuestLink) => isAdmin || createdBy === person.email;
  return (
    <OrganizationPage name="Guest links" service={service}>
      <p class="soft">
        Anyone with a guest link can read one experiment, comparison or report without an account,
        until the link ends. To make one, use “guest link…” on the page that you want to share.
      </p>
      <Problem text={problem ?? setting.problem} />
      {found === undefined ? (
        <p class="waiting">Loading …</p>
      ) : (
        <>
          {isAdmin ? (
            <p>
              <label>
                <input
                  type="checkbox"
                  checked={found.membersShare}
                  disabled={setting.isBusy}
                  onChange={(event) => void set(event.currentTarget.checked)}
                />{" "}
                Members may make guest links. Admins and owners always may.
              </label>
            </p>
          ) : (
            !found.membersShare && <p>Only admins and owners make guest links here.</p>
          )}
          <Listing
            label="Guest links"
            columns={["name", "shows", "made by", "made", "ends", "opened", ""]}
            rows={found.links.map((link) => ({
              key: link.id,
              cells: cellsOf(link, mayRevoke(link) ? () => setRevoking(link) : undefined),
            }))}
            empty="No guest links."
          />
        </>
      )}
      {revoking !== undefined && (
        <AskOnce
          title={`Revoke the guest link “${revoking.name}”?`}
          verb="Revoke"
          onConfirm={async () => {
            await guests.revoke(revoking.id);
            await again();
          }}
          onClose={() => setRevoking(undefined)}
        >
          <p>Its guests lose access at once. This cannot be undone.</p>
        </AskOnce>
      )}
    </OrganizationPage>
  );
}

function cellsOf(link: GuestLink, onRevoke: (() => void) | undefined) {
  const { name, createdBy, created, expires, lastUsed, uses } = link;
  return [
    <span class="name">
      <bdi>{name}</bdi>
    </span>,
    <span>
      <a href={homeOf({ ...link, csrf: "", organization: null })}>{shownText(link)}</a>
    </span>,
    <bdi>{createdBy}</bdi>,
    <Age at={created} />,
    <Age at={expires} />,
    uses === 0 ? (
      "never"
    ) : (
      <span>
        {countedText(uses, "time")}, last <Age at={lastUsed} />
      </span>
    ),
    onRevoke !== undefined && (
      <button type="button" aria-label={`Revoke ${name}`} onClick={onRevoke}>
        Revoke
      </button>
    ),
  ];
}

function shownText({ kind, experimentIds, ...shows }: GuestLink): string {
  const what = kind === "comparison" ? `a comparison of ${experimentIds.length}` : `one ${kind}`;
  const more = [
    ...(shows.isAnonymous ? ["anonymous"] : []),
    ...(shows.showsConsole ? ["console"] : []),
    ...(shows.showsFiles ? ["files"] : []),
  ];
  return [what, ...more].join(", ");
}
