import type { SignIn } from "@lossless/client";
import { useState } from "preact/hooks";
import { Age } from "../../parts/age.tsx";
import { AskOnce } from "../../parts/ask-once.tsx";
import { Listing } from "../../parts/listing.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useAnswer } from "../../parts/use-answer.ts";
import type { Service } from "../../signed-in.ts";
import { deviceWords } from "./device-words.ts";
import { leaveTo } from "../../base-path.ts";

/** The person's sign-ins, each with a button that ends it. */
export function SignIns({ service }: { service: Service }) {
  const { account } = service.client;
  const { found, problem, again } = useAnswer(() => account.signIns(), [account]);
  const [ending, setEnding] = useState<SignIn>();
  const end = async ({ id, current }: SignIn) => {
    await account.endSignIn(id);
    if (current) leaveTo("/sign-in");
    else await again();
  };
  const parts = [
    { kind: "session", title: "Sessions", empty: "No sessions." },
    {
      kind: "command_line",
      title: "Command line",
      empty: "No command line is signed in. Run “lossless login” to sign one in.",
    },
  ] as const;
  return (
    <>
      {parts.map(({ kind, title, empty }) => (
        <section key={kind} aria-labelledby={kind}>
          <h2 id={kind}>{title}</h2>
          <Problem text={problem} />
          {found === undefined ? (
            <p class="waiting">Loading …</p>
          ) : (
            <Listing
              label={title}
              columns={["from", "address", "signed in", "last used", "ends", ""]}
              rows={found
                .filter((one) => one.kind === kind)
                .map((one) => ({ key: one.id, cells: cellsOf(one, () => setEnding(one)) }))}
              empty={empty}
            />
          )}
        </section>
      ))}
      {ending !== undefined && (
        <AskOnce
          title={ending.current ? "Sign out here?" : `End “${deviceWords(ending.device)}”?`}
          verb={ending.current ? "Sign out" : "End"}
          onConfirm={() => end(ending)}
          onClose={() => setEnding(undefined)}
        >
          <p>
            {ending.current
              ? "You are using this session now."
              : "Anyone using it is signed out at once and must sign in again. This cannot be undone."}
          </p>
        </AskOnce>
      )}
    </>
  );
}

function cellsOf(one: SignIn, onEnd: () => void) {
  const name = deviceWords(one.device);
  return [
    <span class="name" title={one.device ?? undefined}>
      <bdi>{name}</bdi> {one.current && <span class="mark">this session</span>}
    </span>,
    one.address ?? "unknown",
    <Age at={one.created} />,
    <Age at={one.lastUsed} never="unknown" />,
    <Age at={one.expires} />,
    <button
      type="button"
      aria-label={one.current ? undefined : `End ${name}, signed in ${one.created}`}
      onClick={onEnd}
    >
      {one.current ? "Sign out" : "End"}
    </button>,
  ];
}
