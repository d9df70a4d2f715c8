import type { ViewedModel, ViewedModelVersion } from "@lossless/client";
import { useEffect, useState } from "preact/hooks";
import { AliasDialog } from "../../aliases/alias-dialog.tsx";
import type { PageProps } from "../../page.ts";
import { artifactAddress } from "../../parts/artifact-address.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Listing } from "../../parts/listing.tsx";
import { SaveForm } from "../../parts/save-form.tsx";
import { useAnswer } from "../../parts/use-answer.ts";
import { timeText } from "../../parts/words.ts";
import { mayWrite } from "../../rights.ts";
import type { Service } from "../../signed-in.ts";
import { experimentAddress } from "../artifact/experiment-address.ts";

/** `/model?name=&before=` */
export function ModelPage({ service, location }: PageProps) {
  const name = location.parameter("name") ?? "";
  const before = location.parameter("before");
  const {
    found: model,
    problem,
    again,
  } = useAnswer((stopped) => service.client.models.read(name, before, stopped), [name, before]);
  useEffect(() => {
    document.title = `${name === "" ? "Model" : name} · Lossless`;
  }, [name]);
  if (model === undefined) return <p class="waiting">{problem ?? "Loading the model …"}</p>;
  const next = model.next;
  return (
    <main class="models">
      <p class="to-artifacts">
        <a href="/artifacts">Artifacts</a> / <a href="/models">Models</a>
      </p>
      <h1>{name}</h1>
      {problem !== undefined && <p role="alert">not up to date: {problem}</p>}
      <Description service={service} model={model} again={again} />
      {model.tags.length > 0 && (
        <p class="count">{model.tags.map(({ key, value }) => `${key}: ${value}`).join(" · ")}</p>
      )}
      <h2>Versions</h2>
      <Listing
        label="Versions"
        columns={["version", "aliases", "content", "from run", "description", "added", ""]}
        empty="No versions yet."
        rows={model.versions.map((version) => ({
          key: String(version.version),
          cells: cellsOf(version, service, model, again),
        }))}
      />
      {next !== null && (
        <p>
          <button type="button" onClick={() => location.change({ before: next })}>
            older versions
          </button>
        </p>
      )}
      <History service={service} name={name} aliases={JSON.stringify(model.aliases)} />
    </main>
  );
}

function cellsOf(
  version: ViewedModelVersion,
  service: Service,
  model: ViewedModel,
  again: () => Promise<void>,
) {
  const { artifact, artifactVersion, source, experiment, aliases, createdAtMs, createdBy } =
    version;
  return [
    <strong key="version">{version.version}</strong>,
    aliases.length > 0 && (
      <span key="aliases" class="aliases">
        {aliases.map((alias) => (
          <span key={alias} class="alias">
            @{alias}
          </span>
        ))}
      </span>
    ),
    artifact === null || artifactVersion === null ? (
      <code key="content">{source}</code>
    ) : (
      <a key="content" href={artifactAddress(artifact, { version: artifactVersion })}>
        {artifact} {artifactVersion}
      </a>
    ),
    experiment !== null && (
      <a key="run" href={experimentAddress(experiment.experimentId)}>
        {experiment.name ?? experiment.slug}
      </a>
    ),
    version.description,
    `${timeText(createdAtMs)}, ${createdBy}`,
    mayWrite(service) && <MoveAlias key="move" {...{ service, model, again }} version={version} />,
  ];
}

interface Changing {
  service: Service;
  model: ViewedModel;
  again: () => Promise<void>;
}

function MoveAlias({ service, model, version, again }: Changing & { version: ViewedModelVersion }) {
  const [isOpen, setIsOpen] = useState(false);
  const { models } = service.client;
  const number = version.version;
  const numberIn = (from: string | null) => (from === null ? null : Number(from));
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        alias…
      </button>
      {isOpen && (
        <AliasDialog
          version={String(number)}
          aliases={model.aliases.map((one) => ({ alias: one.alias, version: `${one.version}` }))}
          onMove={async (alias, from) => {
            await models.setAlias(model.model, alias, number, { expected: numberIn(from) });
            await again();
          }}
          onRemove={async (alias, from) => {
            await models.removeAlias(model.model, alias, Number(from));
            await again();
          }}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  );
}

function Description({ service, model, again }: Changing) {
  const [isOpen, setIsOpen] = useState(false);
  const [text, setText] = useState(model.description);
  return (
    <p class="description">
      {model.description === "" ? <span class="count">no description</span> : model.description}{" "}
      {mayWrite(service) && (
        <button
          type="button"
          onClick={() => {
            setText(model.description);
            setIsOpen(true);
          }}
        >
          describe…
        </button>
      )}
      {isOpen && (
        <Dialog title={`Description of ${model.model}`} onClose={() => setIsOpen(false)}>
          <SaveForm
            action="Save"
            save={async () => {
              await service.client.models.describe(model.model, text);
              await again();
              setIsOpen(false);
            }}
          >
            <label>
              Description
              <textarea
                rows={6}
                value={text}
                onInput={(event) => setText(event.currentTarget.value)}
              />
            </label>
          </SaveForm>
        </Dialog>
      )}
    </p>
  );
}

/** The newest changes of aliases. */
function History({
  service,
  name,
  aliases,
}: {
  service: Service;
  name: string;
  /** The present aliases: when they change, there is more history. */
  aliases: string;
}) {
  const { found, problem } = useAnswer(
    (stopped) => service.client.models.aliasChanges(name, undefined, stopped),
    [name, aliases],
  );
  if (found === undefined) return problem === undefined ? null : <p role="alert">{problem}</p>;
  if (found.changes.length === 0) return null;
  return (
    <>
      <h2>History of aliases</h2>
      <ul class="alias-history">
        {found.changes.map(({ number, alias, previous, version, atMs, by }) => (
          <li key={number}>
            <span class="alias">@{alias}</span>{" "}
            {version === null
              ? `removed from version ${previous}`
              : previous === null
                ? `set to version ${version}`
                : `moved from version ${previous} to ${version}`}{" "}
            <span class="count">
              {timeText(atMs)}, {by}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
