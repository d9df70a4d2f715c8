import { useState } from "preact/hooks";
import { Copy } from "../parts/copy.tsx";
import { messageOf } from "../parts/words.ts";
import { isAtLeast, mayWrite } from "../rights.ts";
import type { Service } from "../signed-in.ts";
import type { Program } from "./first-programs.ts";

interface Props {
  service: Service;
  /** Name of a key made here. */
  keyName: string;
  programs: (key: string) => readonly Program[];
}

/** Lifetime in days of a token, which members get who may not make keys. */
const tokenDays = 90;

/** Programs that need an API key, and a button that makes one and inserts it. */
export function Programs({ service, keyName, programs }: Props) {
  const [key, setKey] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const { organization, tokens } = service.client;
  const isAdmin = isAtLeast(service.session.role, "admin");
  const make = async () => {
    try {
      const made = isAdmin
        ? organization.createApiKey(keyName)
        : tokens.create({ name: keyName, scope: "write", days: tokenDays });
      setKey((await made).secret);
      setProblem(undefined);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  if (!mayWrite(service)) return <p>Your role is viewer, which only reads: members record.</p>;
  return (
    <>
      {key === undefined ? (
        <p>
          <button type="button" class="strong" onClick={() => void make()}>
            {isAdmin ? "Create an API key" : "Create a token"}
          </button>{" "}
          {!isAdmin && `The token replaces an API key and acts for you for ${tokenDays} days. `}
          {problem !== undefined && <span role="alert">{problem}</span>}
        </p>
      ) : (
        <p role="status">
          The {isAdmin ? "key" : "token"} is in the programs below. It is shown only once: keep it
          where you keep secrets.
        </p>
      )}
      {programs(key ?? "ak_…").map((program) => (
        <ProgramText key={program.name} program={program} isReady={key !== undefined} />
      ))}
    </>
  );
}

function ProgramText({ program, isReady }: { program: Program; isReady: boolean }) {
  const { name, hint, text } = program;
  return (
    <section aria-label={name}>
      <div class="program">
        <h2>{name}</h2>
        <span class="count">{hint}</span>
        {isReady && <Copy text={text} label="copy" isSecret />}
      </div>
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
}
