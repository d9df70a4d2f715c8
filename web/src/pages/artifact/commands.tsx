import { useState } from "preact/hooks";
import { Copy } from "../../parts/copy.tsx";
import { pullPrograms } from "./commands.ts";
import { serviceUrl } from "../../base-path.ts";

/** Three ways to fetch the version. */
export function Commands({ artifact, version }: { artifact: string; version: string }) {
  const programs = pullPrograms(serviceUrl(), artifact, version);
  const [chosen, setChosen] = useState(0);
  const { text, name } = programs[chosen];
  return (
    <section class="commands" aria-label="Commands that download this version">
      <div class="choices">
        {programs.map((program, at) => (
          <button
            key={program.name}
            type="button"
            aria-pressed={at === chosen}
            onClick={() => setChosen(at)}
          >
            {program.name}
          </button>
        ))}
        <Copy text={text} label={`copy ${name === "Command line" ? "command" : "program"}`} />
      </div>
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
}
