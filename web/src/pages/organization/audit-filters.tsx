import type { AuditTermsReply } from "@lossless/client";
import type { PageLocation } from "../../location.ts";
import type { AuditAddress } from "./audit-address.ts";
import { actionWords, actorWords } from "./audit-words.ts";

interface Props {
  terms: AuditTermsReply | undefined;
  address: AuditAddress;
  location: PageLocation;
}

/** Filters, kept in the address and so in links. */
export function AuditFilters({ terms, address, location }: Props) {
  const change = (name: keyof AuditAddress) => (event: { currentTarget: { value: string } }) =>
    location.change({ [name]: event.currentTarget.value }, true);
  const actions = terms?.actions ?? [];
  const isFiltered = Object.values(address).some((value) => value !== undefined);
  return (
    <form class="row filters" onSubmit={(event) => event.preventDefault()}>
      <ActionChoice chosen={address.action} actions={actions} onChoose={change("action")} />
      <ActorChoice chosen={address.actor} actors={terms?.actors ?? []} onChoose={change("actor")} />
      <label>
        From
        <input type="date" value={address.since ?? ""} onChange={change("since")} />
      </label>
      <label>
        To
        <input type="date" value={address.until ?? ""} onChange={change("until")} />
      </label>
      {address.subject !== undefined && (
        <span class="mark">
          only <bdi>{address.subject}</bdi>
        </span>
      )}
      {isFiltered && (
        <button
          type="button"
          onClick={() =>
            location.change(
              {
                action: undefined,
                actor: undefined,
                subject: undefined,
                since: undefined,
                until: undefined,
              },
              true,
            )
          }
        >
          Clear filters
        </button>
      )}
    </form>
  );
}

type Choose = (event: { currentTarget: { value: string } }) => void;

interface ActionProps {
  chosen: string | undefined;
  actions: readonly string[];
  onChoose: Choose;
}

function ActionChoice({ chosen, actions, onChoose }: ActionProps) {
  const nouns = [...new Set(actions.map((action) => action.split(".", 1)[0]))];
  return (
    <label>
      What
      <select value={chosen ?? ""} onChange={onChoose}>
        <option value="">everything</option>
        {nouns.map((noun) => (
          <optgroup key={noun} label={noun}>
            <option value={noun}>all of {noun}</option>
            {actions
              .filter((action) => action.startsWith(`${noun}.`))
              .map((action) => (
                <option key={action} value={action}>
                  {actionWords(action)}
                </option>
              ))}
          </optgroup>
        ))}
        {isMissing(chosen, [...actions, ...nouns]) && <option>{chosen}</option>}
      </select>
    </label>
  );
}

interface ActorProps {
  chosen: string | undefined;
  actors: AuditTermsReply["actors"];
  onChoose: Choose;
}

function ActorChoice({ chosen, actors, onChoose }: ActorProps) {
  const ids = actors.map(({ id }) => id);
  return (
    <label>
      Who
      <select value={chosen ?? ""} onChange={onChoose}>
        <option value="">everyone</option>
        {actors.map(({ id, name }) => (
          <option key={id} value={id}>
            {actorWords(id, name)}
          </option>
        ))}
        {isMissing(chosen, ids) && <option>{chosen}</option>}
      </select>
    </label>
  );
}

/** Whether a link names a value that is not in the log, or not yet. */
function isMissing(value: string | undefined, known: readonly string[]): boolean {
  return value !== undefined && !known.includes(value);
}
