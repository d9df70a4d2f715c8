import type { AuditTermsReply, AuditViewReply } from "@lossless/client";
import { useState } from "preact/hooks";
import type { PathProps } from "../../page.ts";
import { Listing } from "../../parts/listing.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useAct } from "../../parts/use-act.ts";
import { useAnswer } from "../../parts/use-answer.ts";
import { countedText, timeText } from "../../parts/words.ts";
import { isAtLeast } from "../../rights.ts";
import { auditAddress, auditParameters, auditQuery } from "./audit-address.ts";
import { AuditFilters } from "./audit-filters.tsx";
import { actionWords, actorWords, detailWords, subjectWords } from "./audit-words.ts";
import { OrganizationPage } from "./organization-page.tsx";

/** `/organization/audit?action=&actor=&subject=&since=&until=` */
export function AuditPage(props: PathProps) {
  const isAdmin = isAtLeast(props.service.session.role, "admin");
  return (
    <OrganizationPage name="Audit" service={props.service}>
      {isAdmin && <AuditLog {...props} />}
    </OrganizationPage>
  );
}

function AuditLog({ service, location }: PathProps) {
  const { views } = service.client;
  const address = auditAddress((name) => location.parameter(name));
  const key = JSON.stringify(address);
  const terms = useAnswer<AuditTermsReply>((stopped) => views.auditTerms(stopped), [views]);
  const { found: answer, problem } = useAnswer<{ key: string; page: AuditViewReply }>(
    async (stopped) => ({ key, page: await views.audit(auditQuery(address), stopped) }),
    [views, key],
  );
  // Events found with another filter are not shown.
  const found = answer?.key === key ? answer.page : undefined;
  const [older, setOlder] = useState<OlderPages>({ behind: undefined, pages: [] });
  const more = useAct();
  // Older pages belong to the newest page that they followed; once that is read again they are
  // dropped.
  const behind = older.behind === found ? older.pages : [];
  const pages = found === undefined ? [] : [found, ...behind];
  const events = pages.flatMap((page) => page.events);
  const next = pages.at(-1)?.next ?? null;
  const readOn = () =>
    more.act(async () => {
      const page = await views.audit({ ...auditQuery(address), before: next! });
      setOlder({ behind: found, pages: [...behind, page] });
    });
  const isFiltered = auditParameters.some((name) => address[name] !== undefined);
  return (
    <>
      <p class="soft">
        Changes to this organization by people, keys and the service. Entries are never removed.
      </p>
      <AuditFilters terms={terms.found} address={address} location={location} />
      <Problem text={problem ?? terms.problem} />
      {found === undefined ? (
        <p class="waiting">Loading …</p>
      ) : (
        <>
          <p class="soft" role="status">
            {countedText(events.length, "entry", "entries")}, newest first
            {next !== null && ". There are older ones."}
          </p>
          <Listing
            label="Audit log"
            columns={["time", "what", "details", "address"]}
            rows={events.map((event) => ({
              key: event.id,
              cells: [
                <time dateTime={event.at}>{timeText(Date.parse(event.at))}</time>,
                <Sentence event={event} onFilter={(change) => location.change(change, true)} />,
                detailsOf(event),
                event.address ?? <span class="soft">none</span>,
              ],
            }))}
            empty={isFiltered ? "No entries match." : "The log is empty."}
          />
          <Problem text={more.problem} />
          {next !== null && (
            <p class="actions">
              <button type="button" disabled={more.isBusy} onClick={() => void readOn()}>
                {more.isBusy ? "Loading …" : "Show older entries"}
              </button>
            </p>
          )}
        </>
      )}
    </>
  );
}

/** Pages of older events, following the newest page. */
interface OlderPages {
  behind: AuditViewReply | undefined;
  pages: readonly AuditViewReply[];
}

interface SentenceProps {
  event: AuditViewReply["events"][number];
  onFilter: (change: { actor?: string; subject?: string }) => void;
}

/** An event as a sentence; actor and subject are buttons that filter by them. */
function Sentence({ event, onFilter }: SentenceProps) {
  const { actor, actorName, action, subject } = event;
  const object = subjectWords(event);
  return (
    <span class="name sentence">
      <button type="button" class="plain" onClick={() => onFilter({ actor })}>
        <bdi>{actorWords(actor, actorName)}</bdi>
      </button>{" "}
      <span title={action}>{actionWords(action)}</span>{" "}
      {object !== "" && (
        <button type="button" class="plain" onClick={() => onFilter({ subject: subject! })}>
          <bdi>{object}</bdi>
        </button>
      )}
    </span>
  );
}

function detailsOf(event: SentenceProps["event"]) {
  const words = detailWords(event.details, subjectWords(event));
  if (words === "") return null;
  return (
    <span class="name soft">
      <bdi>{words}</bdi>
    </span>
  );
}
