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
        The organization and everything in it move to the trash, and all access ends.
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
      verb="Delete"
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
        Its keys, sessions and tokens stop working, and running recordings are refused. An owner or
        the operator can restore it for some time. After that it is gone, including its files in its
        own buckets, and its name cannot be used again. To keep a copy, run{" "}
        <code>lossless export organization DIR</code> first.
      </p>
      <div class="fields">
        <label>
          Type the organization’s name to confirm
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
