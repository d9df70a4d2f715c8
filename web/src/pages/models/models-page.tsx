import type { ModelEntry } from "@lossless/client";
import { useEffect } from "preact/hooks";
import type { PageProps } from "../../page.ts";
import { Listing } from "../../parts/listing.tsx";
import { useRead } from "../../parts/use-read.ts";
import { durationText } from "../../parts/words.ts";
import { modelAddress } from "./model-address.ts";

/** Milliseconds between looks for changes. */
const lookEveryMs = 5_000;

/** `/models?q=&after=` */
export function ModelsPage({ service, location }: PageProps) {
  const search = location.parameter("q") ?? "";
  const after = location.parameter("after") ?? "";
  const { found, problem } = useRead(
    (stopped) => service.client.models.list({ search, after }, stopped),
    [search, after],
    lookEveryMs,
  );
  useEffect(() => {
    document.title = "Models · Lossless";
  }, []);
  const next = found?.next ?? null;
  return (
    <main class="models">
      <p class="to-artifacts">
        <a href="/artifacts">Artifacts</a>
      </p>
      <h1>Models</h1>
      <div class="query">
        <input
          type="search"
          aria-label="Search models"
          placeholder="Search models"
          value={search}
          onChange={(event) =>
            location.change({ q: event.currentTarget.value || undefined, after: undefined })
          }
        />
      </div>
      {problem !== undefined && <p role="alert">{problem}</p>}
      {found === undefined ? (
        problem === undefined && <p class="waiting">Loading the models …</p>
      ) : (
        <ModelTable models={found.models} isSearch={search !== ""} />
      )}
      {next !== null && (
        <p>
          <button type="button" onClick={() => location.change({ after: next })}>
            more models
          </button>
        </p>
      )}
    </main>
  );
}

function ModelTable({ models, isSearch }: { models: readonly ModelEntry[]; isSearch: boolean }) {
  return (
    <Listing
      label="Models"
      columns={["model", "latest", "aliases", "changed", "description"]}
      empty={
        isSearch
          ? "No model has this name."
          : "No registered models yet. A model is a name for numbered versions. Make one with mlflow.register_model or run.link_artifact."
      }
      rows={models.map(({ model, latest, aliases, changedAtMs, description }) => ({
        key: model,
        cells: [
          <a key="name" href={modelAddress(model)}>
            {model}
          </a>,
          latest === null ? "-" : `version ${latest}`,
          <span key="aliases" class="aliases">
            {aliases.map(({ alias, version }) => (
              <span key={alias} class="alias">
                @{alias} → {version}
              </span>
            ))}
          </span>,
          `${durationText(Date.now() - changedAtMs)} ago`,
          description,
        ],
      }))}
    />
  );
}
