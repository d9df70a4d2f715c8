import { useMemo } from "preact/hooks";
import { ArtifactsCard } from "./artifacts-card.tsx";
import { capturedOf } from "./captured.ts";
import { ConfigCard } from "./config-card.tsx";
import { Facts } from "./facts.tsx";
import { Labels } from "./labels.tsx";
import { MetricsCard } from "./metrics-card.tsx";
import { NotesCard } from "./notes-card.tsx";
import type { OverviewProps } from "./overview-props.ts";
import { PackagesCard } from "./packages-card.tsx";
import { RunCard } from "./run-card.tsx";
import { SourceCard } from "./source-card.tsx";

/** Everything about a run at a glance. A card that would be empty is left out. */
export function OverviewTab(props: OverviewProps) {
  const { record, attributes, written, service, location } = props;
  const { experimentId, meta } = record;
  const captured = useMemo(() => capturedOf(meta, attributes ?? {}), [meta, attributes]);
  return (
    <div class="overview">
      <Labels meta={meta} tags={attributes?.tags ?? []} />
      <div class="main">
        <NotesCard {...props} />
        <MetricsCard {...props} />
        <ConfigCard {...props} />
      </div>
      <div class="beside">
        <RunCard {...props} captured={captured} />
        <SourceCard service={service} source={captured.source} />
        <Facts title="Machine" facts={captured.machine} />
        {captured.launchers.map(({ name, variables }) => (
          <Facts key={name} title={name} facts={variables} />
        ))}
        <ArtifactsCard {...{ experimentId, written }} models={attributes?.models ?? []} />
        <PackagesCard
          packages={captured.packages}
          leftOut={captured.packagesLeftOut}
          location={location}
        />
      </div>
    </div>
  );
}
