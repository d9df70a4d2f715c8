import type { AttributesResultData } from "@lossless/client";
import { useState } from "preact/hooks";
import type { PageProps } from "../../page.ts";
import { countText } from "../../parts/words.ts";
import { RunFiles } from "./run-files.tsx";

type Model = AttributesResultData["models"][number];

interface Props extends PageProps {
  models: readonly Model[];
}

/** Logged models made by the run, then those that it used. */
export function RunModels({ models, service, location }: Props) {
  if (models.length === 0) return null;
  const parts = [
    { title: "Models created by the run", direction: "output" },
    { title: "Models used by the run", direction: "input" },
  ] as const;
  return (
    <>
      {parts.map(({ title, direction }) => {
        const some = models.filter((model) => model.direction === direction);
        if (some.length === 0) return null;
        return (
          <section key={direction} class="written-part" aria-label={title}>
            <h2>
              {title} <span class="count">{countText(some.length)}</span>
            </h2>
            {some.map((model) => (
              <OneModel key={model.modelId} {...{ model, service, location }} />
            ))}
          </section>
        );
      })}
    </>
  );
}

function OneModel({
  model: { modelId, name, modelType, status, step, direction },
  service,
  location,
}: Omit<Props, "models"> & { model: Model }) {
  const [isOpen, setIsOpen] = useState(location.parameter("of") === modelId);
  const facts = (
    <>
      <bdi>{name ?? modelId}</bdi>{" "}
      <span class="count">
        {[
          modelType ?? "",
          status === "ready" ? "" : (status ?? "unknown to this service"),
          direction === "output" && step !== "0" ? `step ${countText(Number(step))}` : "",
          name === null ? "" : modelId,
        ]
          .filter((word) => word !== "")
          .join(", ")}
      </span>
    </>
  );
  if (name === null) return <p>{facts}</p>;
  return (
    <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{facts}</summary>
      {isOpen && (
        <RunFiles {...{ service, location, owner: modelId }} empty="The model has no files." />
      )}
    </details>
  );
}
