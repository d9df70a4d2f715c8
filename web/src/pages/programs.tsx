import { useState } from "preact/hooks";
import { Copy } from "../parts/copy.tsx";
import { messageOf } from "../parts/words.ts";
import { isAtLeast } from "../rights.ts";
import type { Service } from "../signed-in.ts";
import type { Program } from "./first-programs.ts";

interface Props {
  service: Service;
  /** What a key that is made here is called. */
  keyName: string;
  programs: (key: string) => readonly Program[];
}

/** Programs that need an API key, and a button that makes one and puts it into them. */
export function Programs({ service, keyName, programs }: Props) {
  const [key, setKey] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const make = async () => {
    try {
      setKey((await service.client.organization.createApiKey(keyName)).secret);
      setProblem(undefined);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <>
      {!isAtLeast(service.session.role, "admin") ? (
        <p>Ask an admin or owner of the organization for an API key, and put it where “ak_…” is.</p>
      ) : key === undefined ? (
        <p>
          <button type="button" class="strong" onClick={() => void make()}>
            Make an API key
          </button>{" "}
          {problem !== undefined && <span role="alert">{problem}</span>}
        </p>
      ) : (
        <p role="status">
          The key is in the programs below. It is shown only now; keep it where you keep secrets.
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
