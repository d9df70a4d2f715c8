import type { GroupRole, SignOnSettings } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
import { roles } from "@lossless/protocol/roles";
import { useRef, useState } from "preact/hooks";
import { Labelled } from "../../parts/labelled.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useAct } from "../../parts/use-act.ts";
import { withoutReload } from "../../parts/without-reload.ts";
import type { Service } from "../../signed-in.ts";
import { signOnBody } from "./sign-on-body.ts";

interface Props {
  service: Service;
  settings: SignOnSettings | null;
  again: () => Promise<unknown>;
}

/** An owner's form. Fields keep their text; the secret is in its field only. */
export function ProviderForm({ service, settings, again }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const [isSaved, setIsSaved] = useState(false);
  const { isBusy, problem, act } = useAct();
  const save = async () => {
    setIsSaved(false);
    const isDone = await act(async () => {
      await service.client.signOn.set(signOnBody(new FormData(form.current!)));
      await again();
    });
    const secret = form.current!.querySelector<HTMLInputElement>("[name=clientSecret]");
    if (isDone && secret !== null) secret.value = "";
    setIsSaved(isDone);
  };
  return (
    <section aria-labelledby="provider">
      <h2 id="provider">Identity provider</h2>
      <form
        class="fields"
        ref={form}
        onInput={() => setIsSaved(false)}
        onSubmit={withoutReload(save)}
      >
        <ProviderFields settings={settings} />
        <GroupRows given={settings?.roles ?? []} />
        <label>
          Role of everyone else
          <select name="defaultRole">
            <option value="">none: sign-in is refused</option>
            <RoleOptions chosen={settings?.defaultRole ?? undefined} />
          </select>
        </label>
        <label class="check">
          <input type="checkbox" name="forced" defaultChecked={settings?.forced ?? false} /> Members
          and admins can sign in only through the provider. The passwords of owners keep working,
          for when the provider is unavailable.
        </label>
        <Problem text={problem} />
        <p class="actions">
          <button class="strong" disabled={isBusy}>
            {isBusy ? "Asking the provider …" : "Save"}
          </button>
          <span role="status">{isSaved && "Saved: the provider answered."}</span>
        </p>
      </form>
    </section>
  );
}

/** Options from the least role, the usual one, upwards. */
function RoleOptions({ chosen }: { chosen: GroupRole["role"] | undefined }) {
  return [...roles].reverse().map((role) => (
    <option key={role} value={role} selected={role === chosen}>
      {role}
    </option>
  ));
}

function ProviderFields({ settings }: { settings: SignOnSettings | null }) {
  return (
    <>
      <Labelled label="Name" hint="shown on the button of the sign-in page">
        <input
          name="name"
          required
          maxLength={limits.labelCharactersMax}
          defaultValue={settings?.name ?? ""}
        />
      </Labelled>
      <Labelled label="Issuer" hint="exactly as the provider gives it, for your organization alone">
        <input
          name="issuer"
          type="url"
          required
          maxLength={limits.signOnAddressCharactersMax}
          placeholder="https://example.okta.com"
          defaultValue={settings?.issuer ?? ""}
        />
      </Labelled>
      <Labelled label="Client id">
        <input
          name="clientId"
          required
          autocomplete="off"
          maxLength={limits.signOnTextCharactersMax}
          defaultValue={settings?.clientId ?? ""}
        />
      </Labelled>
      <ClientSecret settings={settings} />
      <Labelled label="Domains of the addresses that may sign in" hint="all others are refused">
        <input
          name="domains"
          required
          autocomplete="off"
          placeholder="example.com"
          defaultValue={settings?.domains.join(" ") ?? ""}
        />
      </Labelled>
      <Labelled label="Scopes">
        <input
          name="scopes"
          maxLength={limits.signOnTextCharactersMax}
          defaultValue={settings?.scopes ?? "openid email profile"}
        />
      </Labelled>
      <Labelled label="Claim with a person's groups" hint="if empty, groups give no roles">
        <input
          name="groupsClaim"
          maxLength={limits.signOnTextCharactersMax}
          placeholder="groups"
          defaultValue={settings?.groupsClaim ?? ""}
        />
      </Labelled>
    </>
  );
}

/**
 * The client secret; public clients have none, and changing back to a secret requires typing it.
 */
function ClientSecret({ settings }: { settings: SignOnSettings | null }) {
  const isStored = settings?.publicClient === false;
  const [isPublic, setIsPublic] = useState(settings?.publicClient ?? false);
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          name="publicClient"
          checked={isPublic}
          onChange={({ currentTarget }) => setIsPublic(currentTarget.checked)}
        />{" "}
        This is a public client: it has no secret and relies on PKCE alone.
      </label>
      {!isPublic && (
        <Labelled
          label="Client secret"
          hint={
            isStored ? "if empty, the stored secret stays" : "stored encrypted, never shown again"
          }
        >
          <input
            name="clientSecret"
            type="password"
            required={!isStored}
            autocomplete="new-password"
            maxLength={limits.signOnSecretCharactersMax}
          />
        </Labelled>
      )}
    </>
  );
}

/** Roles by group; a person gets the highest one. Rows without a group are ignored. */
function GroupRows({ given }: { given: readonly GroupRole[] }) {
  const [count, setCount] = useState(Math.max(1, given.length));
  return (
    <fieldset class="groups">
      <legend>Roles by group, applied at every sign-in</legend>
      {Array.from({ length: count }, (_, at) => (
        <div key={at} class="inline">
          <input
            name="group"
            aria-label={`Group ${at + 1}`}
            autocomplete="off"
            maxLength={limits.signOnGroupCharactersMax}
            defaultValue={given[at]?.group ?? ""}
          />
          <select name="groupRole" aria-label={`Role of group ${at + 1}`}>
            <RoleOptions chosen={given[at]?.role ?? "member"} />
          </select>
        </div>
      ))}
      <button
        type="button"
        disabled={count >= limits.signOnRolesMax}
        onClick={() => setCount(count + 1)}
      >
        Add a group
      </button>
    </fieldset>
  );
}
