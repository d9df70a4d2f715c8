import type { CreateGuestLinkBody } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog.tsx";
import { SaveForm } from "../parts/save-form.tsx";
import { ShownOnce } from "../parts/shown-once.tsx";
import type { Service } from "../signed-in.ts";

interface Props {
  service: Service;
  /** The thing shown, in words: "seed 3", "12 experiments". */
  what: string;
  shown: Pick<CreateGuestLinkBody, "experimentIds" | "reportId">;
  onClose: () => void;
}

const lifetimes = [7, 14, 30, 90] as const;

/** Makes a guest link. */
export function ShareDialog({ service, what, shown, onClose }: Props) {
  const [name, setName] = useState(what.slice(0, limits.labelCharactersMax));
  const [days, setDays] = useState<number>(14);
  const [isAnonymous, setIsAnonymous] = useState(false);
  const [showsConsole, setShowsConsole] = useState(false);
  const [showsFiles, setShowsFiles] = useState(false);
  const [address, setAddress] = useState<string>();
  const make = async () => {
    const shows = { isAnonymous, showsConsole, showsFiles: showsFiles && !isAnonymous };
    const made = await service.client.guests.create({
      ...shown,
      name: name.trim(),
      days,
      ...shows,
    });
    setAddress(made.address);
  };
  if (address !== undefined) return <MadeLink {...{ address, onClose }} />;
  return (
    <Dialog title={`Share ${what} with guests`} onClose={onClose}>
      <SaveForm action="Create the link" save={make}>
        <p>
          Whoever has the link reads this without an account, and nothing else of the organization.
        </p>
        {shown.reportId !== undefined && (
          <p>
            Guests see the name of the report, its texts, and the queries of its blocks as they
            stand, also by an anonymous link: read them first.
          </p>
        )}
        <label>
          Name of the link, for your organization
          <input
            value={name}
            required
            pattern=".*\S.*"
            maxLength={limits.labelCharactersMax}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <label>
          It ends
          <select value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
            {lifetimes.map((count) => (
              <option key={count} value={count}>
                in {count} days
              </option>
            ))}
          </select>
        </label>
        <fieldset>
          <legend>What guests see</legend>
          <Check isOn={isAnonymous} onChange={setIsAnonymous}>
            anonymous, for review: curves and numbers, without names and texts
          </Check>
          <Check isOn={showsConsole} onChange={setShowsConsole}>
            show the console
          </Check>
          <Check
            isOn={showsFiles && !isAnonymous}
            isDisabled={isAnonymous}
            onChange={setShowsFiles}
          >
            show media and artifacts, and let guests download them
          </Check>
        </fieldset>
      </SaveForm>
    </Dialog>
  );
}

function MadeLink({ address, onClose }: { address: string; onClose: () => void }) {
  return (
    <Dialog title="Guest link" onClose={onClose}>
      <ShownOnce
        name="The link"
        secret={address}
        hint="Everyone who has it can open it until it ends. You can revoke it on the organization's page Guest links."
        onClose={onClose}
      />
    </Dialog>
  );
}

interface CheckProps {
  isOn: boolean;
  isDisabled?: boolean;
  onChange: (isOn: boolean) => void;
  children: string;
}

function Check({ isOn, isDisabled = false, onChange, children }: CheckProps) {
  return (
    <label>
      <input
        type="checkbox"
        checked={isOn}
        disabled={isDisabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />{" "}
      {children}
    </label>
  );
}
