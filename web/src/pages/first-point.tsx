import { useState } from "preact/hooks";
import type { Service } from "../signed-in.ts";
import { firstPrograms, type Program } from "./first-programs.ts";

/** What an organization without experiments sees: how the first one gets here. */
export function FirstPoint({ service }: { service: Service }) {
  const [key, setKey] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const make = async () => {
    try {
      setKey((await service.client.organization.createApiKey("first recording")).secret);
      setProblem(undefined);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <main class="first">
      <h1>Record a first experiment</h1>
      <p>
        Nothing is recorded here yet. With an API key a program records from any machine that
        reaches this address; this page turns into the table when its first experiment comes.
      </p>
      {key === undefined ? (
        <p>
          <button type="button" class="strong" onClick={() => void make()}>
            Make an API key
          </button>{" "}
          {problem !== undefined && <span role="alert">{problem}</span>}
        </p>
      ) : (
        <p>
          The key is in the programs below. It is shown only now; keep it where you keep secrets.
        </p>
      )}
      {firstPrograms(window.location.origin, key ?? "ak_…").map((program) => (
        <ProgramText key={program.name} program={program} isReady={key !== undefined} />
      ))}
    </main>
  );
}

function ProgramText({ program, isReady }: { program: Program; isReady: boolean }) {
  const { name, hint, text } = program;
  const [isCopied, setIsCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setIsCopied(true);
  };
  return (
    <section aria-label={name}>
      <div class="program">
        <h2>{name}</h2>
        <span class="count">{hint}</span>
        {/* Browsers give no clipboard to pages that came over plain HTTP from another machine. */}
        {isReady && window.isSecureContext && (
          <button type="button" onClick={() => void copy()}>
            {isCopied ? "copied" : "copy"}
          </button>
        )}
      </div>
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
}
