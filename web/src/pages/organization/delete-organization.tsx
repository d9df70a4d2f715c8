import { useState } from "preact/hooks";
import { AskOnce } from "../../parts/ask-once.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useAnswer } from "../../parts/use-answer.ts";
import { bytesText, countedText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import { leaveTo } from "../../base-path.ts";

/** Deletes the organization, after a question. */
export function DeleteOrganization({ service }: { service: Service }) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <section aria-labelledby="delete-organization">
      <h2 id="delete-organization">Delete the organization</h2>
      <p class="soft">
        Everything that it has goes to the trash with it, and nobody is let in any more.
      </p>
      <p class="actions">
        <button type="button" class="end" onClick={() => setIsAsking(true)}>
          Delete the organization…
        </button>
      </p>
      {isAsking && <Question service={service} onClose={() => setIsAsking(false)} />}
    </section>
  );
}

function Question({ service, onClose }: { service: Service; onClose: () => void }) {
  const { trash } = service.client;
  const { name } = service.session.organization!;
  const [typed, setTyped] = useState("");
  const { found, problem } = useAnswer(() => trash.organizationContents(), [trash]);
  return (
    <AskOnce
      title={`Delete ${name}?`}
      verb="Delete it"
      onConfirm={async () => {
        await trash.organization(typed.trim());
        leaveTo("/experiments");
      }}
      onClose={onClose}
    >
      <Problem text={problem} />
      {found !== undefined && (
        <p>
          {countedText(found.experiments, "experiment")} with {countedText(found.points, "point")},{" "}
          {countedText(found.versions, "version")} of {countedText(found.artifacts, "artifact")} (
          {bytesText(found.artifactBytes)}), {countedText(found.apiKeys, "API key")}.
        </p>
      )}
      <p>
        Its keys, sessions and tokens let nobody in, and whoever records is refused. An owner or the
        operator can restore it for some time; then it is gone, with its files in buckets of its
        own, and its name stays taken. <code>lossless export organization DIR</code> keeps a copy.
      </p>
      <div class="fields">
        <label>
          The organization’s name, to be sure
          <input
            autocomplete="off"
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
      </div>
    </AskOnce>
  );
}
